"""What is read back from a message is what was written, and what says no request is refused."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from matching.adapters.rpc import matching_pb2 as pb
from matching.adapters.rpc.messages import (
    read_add_answer,
    read_poll,
    read_poll_answer,
    read_task,
    write_add,
    write_add_answer,
    write_poll,
    write_poll_answer,
)
from matching.adapters.rpc.methods import ADD_TASK, POLL_TASK_QUEUE
from matching.errors import InvalidArgument
from matching.hops import OfferAnswer
from matching.identity import EventId, Host, Item, PartitionKey, PollId, TaskId, TaskType, Version, Worker
from matching.requests import ForwardInfo, PollRequest, Task

PARTITION = PartitionKey("shop", "orders", TaskType.WORKFLOW)

texts = st.text(st.characters(codec="utf-8"), min_size=1, max_size=20)
numbers = st.integers(-(2**63), 2**63 - 1)
partitions = st.builds(
    PartitionKey,
    texts.filter(lambda text: "/" not in text),
    texts,
    st.sampled_from(TaskType),
    st.integers(0, 10**9 - 1),
) | st.builds(PartitionKey, st.just("shop"), texts, st.sampled_from(TaskType), st.just(0), st.just(True))


def forward_infos(ids: st.SearchStrategy[PollId] | st.SearchStrategy[TaskId]) -> st.SearchStrategy[ForwardInfo]:
    return st.builds(ForwardInfo, ids, ids, texts.map(Host), numbers, partitions, partitions)


polls = st.builds(
    PollRequest,
    texts.map(PollId),
    texts.map(Worker),
    partitions,
    st.just(1.5),
    texts.map(Version),
    st.none() | forward_infos(texts.map(PollId)),
)
tasks = st.builds(
    Task,
    texts.map(TaskId),
    partitions,
    texts.map(Version),
    st.none() | st.builds(Item, texts.map(EventId), numbers, numbers),
    st.none() | forward_infos(texts.map(TaskId)),
)


@given(polls)
def test_every_field_of_a_poll_arrives(request: PollRequest) -> None:
    wire = POLL_TASK_QUEUE.request.FromString(write_poll(request).SerializeToString())

    assert read_poll(wire, request.deadline) == request


@given(tasks)
def test_every_field_of_a_task_arrives(task: Task) -> None:
    wire = ADD_TASK.request.FromString(write_add(task).SerializeToString())

    assert read_task(wire.task) == task


@given(st.none() | tasks)
def test_the_answer_to_a_poll_arrives(task: Task | None) -> None:
    wire = POLL_TASK_QUEUE.answer.FromString(write_poll_answer(task).SerializeToString())

    assert read_poll_answer(wire) == task


@pytest.mark.parametrize("answer", [None, *OfferAnswer])
def test_the_answer_to_an_add_arrives(answer: OfferAnswer | None) -> None:
    wire = ADD_TASK.answer.FromString(write_add_answer(answer).SerializeToString())

    assert read_add_answer(wire) is answer


def test_an_absent_version_is_that_of_what_has_none() -> None:
    message = pb.Task(task_id="t1", partition=str(PARTITION))

    assert read_task(message) == Task(TaskId("t1"), PARTITION)


@pytest.mark.parametrize(
    ("message", "said"),
    [
        (pb.PollTaskQueueRequest(), "poll_id is empty"),
        (pb.PollTaskQueueRequest(poll_id="p1"), "worker is empty"),
        (
            pb.PollTaskQueueRequest(poll_id="p1", worker="w1", partition="orders"),
            "partition: 'orders' is not a partition",
        ),
        (
            pb.PollTaskQueueRequest(poll_id="p1", worker="w1", partition=str(PARTITION), forward_info=pb.ForwardInfo()),
            "behalf is empty",
        ),
    ],
)
def test_what_says_no_poll_is_refused_with_the_field_that_is_wrong(message: pb.PollTaskQueueRequest, said: str) -> None:
    with pytest.raises(InvalidArgument, match=said):
        read_poll(message, 1.0)


@pytest.mark.parametrize(
    ("message", "said"),
    [
        (pb.Task(), "task_id is empty"),
        (pb.Task(task_id="t1", partition="shop/orders/workflow/-1"), "partition: .* is not a partition"),
        (pb.Task(task_id="t1", partition=str(PARTITION), item=pb.Item()), "event_id is empty"),
    ],
)
def test_what_says_no_task_is_refused_with_the_field_that_is_wrong(message: pb.Task, said: str) -> None:
    with pytest.raises(InvalidArgument, match=said):
        read_task(message)


def test_an_answer_that_nobody_knows_is_refused() -> None:
    with pytest.raises(InvalidArgument, match="which nobody knows"):
        read_add_answer(pb.AddTaskResponse())


@pytest.mark.parametrize("name", ["\ud800", "t" * 3 + "\udfff"])
def test_text_that_cannot_be_written_is_refused(name: str) -> None:
    with pytest.raises(InvalidArgument, match="cannot be sent"):
        write_add(Task(TaskId(name), PARTITION))


def test_a_number_that_cannot_be_written_is_refused() -> None:
    with pytest.raises(InvalidArgument, match="cannot be sent"):
        write_add(Task(TaskId("t1"), PARTITION, item=Item(EventId("e1"), 2**63, 0)))
