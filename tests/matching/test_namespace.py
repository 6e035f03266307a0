"""A host's view of a namespace: which news counts, and of which change somebody is told."""

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from matching.identity import Cluster, Host, Revision
from matching.namespace import HERE, THERE, Namespace, NamespaceState, NamespaceView

H1 = Host("h1")
ACTIVE, PASSIVE = NamespaceState.ACTIVE, NamespaceState.PASSIVE
ELSEWHERE = Cluster("elsewhere")
Told = list[tuple[NamespaceState, NamespaceState]]


@st.composite
def histories(draw: st.DrawFn) -> list[Namespace]:
    """A namespace through its revisions, active in one of three clusters after the other."""
    clusters = draw(st.lists(st.sampled_from([HERE, THERE, ELSEWHERE]), min_size=1, max_size=6))
    return [Namespace(cluster, Revision(number)) for number, cluster in enumerate(clusters, start=1)]


@st.composite
def news_of_histories(draw: st.DrawFn) -> list[Namespace]:
    """The revisions of one history in any order, each any number of times, the first one first."""
    history = draw(histories())
    return [history[0], *draw(st.lists(st.sampled_from(history), max_size=12))]


def viewing(news: list[Namespace]) -> tuple[NamespaceView, Told]:
    """A view that began with the first of the news and has heard it all, and what a subscriber was told of it."""
    view = NamespaceView(H1, news[0])
    told = following(view)
    for each in news:
        view.hear(each)
    return view, told


def following(view: NamespaceView) -> Told:
    """The changes of which a subscriber is told from now on."""
    told: Told = []
    view.subscribe(lambda before, now: told.append((before, now)))
    return told


def test_a_namespace_is_active_here_until_there_is_news() -> None:
    assert NamespaceView(H1).active
    assert NamespaceView(H1).known == Namespace(HERE, Revision(1))


@given(histories())
def test_a_failover_makes_the_next_revision(history: list[Namespace]) -> None:
    assert [before.failover(after.active_cluster) for before, after in pairwise(history)] == history[1:]


@given(news_of_histories())
def test_a_view_knows_the_highest_revision_that_it_heard(news: list[Namespace]) -> None:
    view, _ = viewing(news)

    assert view.known == max(news, key=lambda each: each.revision)
    assert view.active is (view.known.active_cluster == HERE)


@given(news_of_histories())
def test_who_follows_the_changes_from_the_first_state_ends_with_the_state_there_is(news: list[Namespace]) -> None:
    view, told = viewing(news)
    states = [news[0].state_on(HERE), *(now for _, now in told)]

    assert told == list(pairwise(states))
    assert states[-1] is view.state
    assert all(before is not now for before, now in told)


@pytest.mark.parametrize(
    ("before", "after", "changes"),
    [
        (HERE, THERE, [(ACTIVE, PASSIVE)]),
        (THERE, HERE, [(PASSIVE, ACTIVE)]),
        (THERE, ELSEWHERE, []),
        (HERE, HERE, []),
    ],
)
def test_of_a_new_revision_only_a_change_of_the_state_on_this_cluster_is_told(
    before: Cluster, after: Cluster, changes: Told
) -> None:
    view = NamespaceView(H1, Namespace(before))
    told = following(view)
    view.hear(view.known.failover(after))

    assert told == changes
    assert view.known.revision == 2


def test_a_subscriber_that_looks_sees_the_new_state() -> None:
    view = NamespaceView(H1)
    seen: list[NamespaceState] = []
    view.subscribe(lambda _before, _now: seen.append(view.state))
    view.hear(Namespace(THERE, Revision(2)))

    assert seen == [PASSIVE]


def test_each_subscriber_is_told_in_the_order_in_which_they_came() -> None:
    view = NamespaceView(H1)
    told: list[str] = []
    view.subscribe(lambda _before, _now: told.append("first"))
    view.subscribe(lambda _before, _now: told.append("second"))
    view.hear(Namespace(THERE, Revision(2)))

    assert told == ["first", "second"]


def test_the_step_is_told_when_the_state_has_changed_and_before_anybody_acts_on_it() -> None:
    told: list[object] = []

    def probe(action: str, *args: object) -> None:
        told.append((action, *args, view.state))

    view = NamespaceView(H1, probe=probe)
    view.subscribe(lambda _before, _now: told.append("subscriber"))
    view.hear(Namespace(THERE, Revision(2)))

    assert told == [("HearNamespace", "h1", 2, PASSIVE), "subscriber"]


@pytest.mark.parametrize("known", [Namespace(HERE, Revision(3)), Namespace(THERE, Revision(3))])
@pytest.mark.parametrize("revision", [1, 2, 3])
def test_what_is_not_news_is_heard_and_changes_nothing(known: Namespace, revision: int) -> None:
    steps: list[tuple[object, ...]] = []
    view = NamespaceView(H1, known, probe=lambda *step: steps.append(step))
    told = following(view)
    view.hear(Namespace(HERE, Revision(revision)))
    view.hear(Namespace(THERE, Revision(revision)))

    assert (view.known, told) == (known, [])
    assert steps == [("HearNamespace", "h1", revision)] * 2


def test_another_cluster_hears_the_same_news_the_other_way_round() -> None:
    view = NamespaceView(H1, Namespace(HERE), here=THERE)
    told = following(view)
    view.hear(Namespace(THERE, Revision(2)))

    assert told == [(PASSIVE, ACTIVE)]


def test_revisions_count_from_one() -> None:
    with pytest.raises(ValueError, match="revision"):
        Namespace(HERE, Revision(0))
