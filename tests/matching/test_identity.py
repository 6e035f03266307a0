"""The text of a partition can be read back, and nothing else can be read as one."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from matching.errors import InvalidArgument
from matching.identity import PartitionKey, TaskType

NAMESPACES = st.text(min_size=1).filter(lambda text: "/" not in text)
PARTITIONS = st.builds(
    PartitionKey, NAMESPACES, st.text(min_size=1), st.sampled_from(TaskType), st.integers(0, 10**9 - 1)
)


@given(PARTITIONS)
def test_a_partition_is_read_back_from_its_text(partition: PartitionKey) -> None:
    assert PartitionKey.parse(str(partition)) == partition


@given(PARTITIONS, PARTITIONS)
def test_two_partitions_have_one_text_only_if_they_are_the_same(one: PartitionKey, other: PartitionKey) -> None:
    assert (str(one) == str(other)) is (one == other)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "shop",
        "shop/orders/workflow",
        "shop/workflow/0",
        "/orders/workflow/0",
        "shop//workflow/0",
        "shop/orders/nexus/0",
        "shop/orders/WORKFLOW/0",
        "shop/orders/workflow/",
        "shop/orders/workflow/-1",
        "shop/orders/workflow/07",
        "shop/orders/workflow/٣",
        "shop/orders/workflow/1.0",
        "shop/orders/workflow/9999999999",
        "shop/orders/workflow/0\n",
        " shop/orders/workflow/ 0",
    ],
)
def test_a_text_of_another_form_is_an_invalid_argument(text: str) -> None:
    with pytest.raises(InvalidArgument, match="write namespace/family/workflow/0"):
        PartitionKey.parse(text)


@pytest.mark.parametrize(
    ("namespace", "family", "number"),
    [("", "orders", 0), ("a/b", "orders", 0), ("shop", "", 0), ("shop", "orders", -1), ("shop", "orders", 10**9)],
)
def test_a_partition_whose_text_could_not_be_read_back_cannot_be_made(namespace: str, family: str, number: int) -> None:
    with pytest.raises(ValueError, match=r"must"):
        PartitionKey(namespace, family, TaskType.WORKFLOW, number)


def test_partitions_are_ordered_by_name_type_and_number() -> None:
    keys = [PartitionKey("shop", "orders", kind, number) for kind in TaskType for number in (1, 0)]

    assert [str(key) for key in sorted(keys)] == [
        "shop/orders/activity/0",
        "shop/orders/activity/1",
        "shop/orders/workflow/0",
        "shop/orders/workflow/1",
    ]
