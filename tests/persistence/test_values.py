from datetime import UTC, datetime

from hypothesis import given
from hypothesis import strategies as st

from persistence.values import from_ms, is_text, to_ms


@given(st.datetimes(timezones=st.just(UTC)))
def test_times_come_back_as_they_were(at: datetime) -> None:
    text = at.isoformat(timespec="milliseconds").replace("+00:00", "Z")
    assert from_ms(to_ms(text)) == text


@given(st.integers(0, 253402300799999))
def test_later_is_greater(ms: int) -> None:
    assert to_ms(from_ms(ms)) == ms


@given(st.text(st.characters(exclude_categories=()), max_size=5))
def test_text_that_a_database_can_hold(text: str) -> None:
    try:
        text.encode()
    except UnicodeEncodeError:
        assert not is_text(text)
    else:
        assert is_text(text) == ("\0" not in text)
