use super::*;

const REPORT: &str = "\
# Do street trees cool towns?

Street trees **cool** the afternoon air by 1.5 to 2.5 °C under a closed canopy [1, 3], and *not* at night [2].

## What was found

> “The air was 1.9 °C cooler.” [1]

1. First, see [the trial](https://example.org/trial) and `code`.
   - inner item that is long enough to be wrapped onto a second line here
2. Second [x].

| year | value |
|------|-------|
| 2023 | 1.9   |

```
code stays as it is
```
<div>markup</div>
";

#[test]
fn a_report_is_laid_out_for_reading() {
    insta::assert_snapshot!(paint(REPORT, 50, false), @r"
    Do street trees cool towns?

    Street trees cool the afternoon air by 1.5 to 2.5
    °C under a closed canopy [1, 3], and not at night
    [2].

    What was found

    │ “The air was 1.9 °C cooler.” [1]

    1. First, see the trial
       (https://example.org/trial) and code.
       • inner item that is long enough to be wrapped
         onto a second line here
    2. Second [x].

    year │ value
    2023 │ 1.9

        code stays as it is
    ");
}

#[test]
fn an_address_that_stands_for_itself_is_shown_once() {
    let painted = paint("See <https://example.org/trial>.", 50, false);
    assert_eq!(painted, "See https://example.org/trial.\n");
}

#[test]
fn no_line_is_wider_than_the_terminal() {
    for width in [40, 55, 80] {
        let painted = paint(REPORT, width, false);
        let widest = painted.lines().map(console::measure_text_width).max();
        assert!(widest <= Some(width), "{widest:?} of {width}\n{painted}");
    }
}

#[test]
fn citations_are_dim_and_other_brackets_are_not() {
    let painted = paint("It is so [12], [see 3] [4–6].", 80, true);
    assert_eq!(
        painted,
        "It is so \x1b[2m[12]\x1b[0m, [see 3] \x1b[2m[4–6]\x1b[0m.\n"
    );
}

#[test]
fn what_a_document_smuggles_in_does_not_reach_the_terminal() {
    let painted = paint(
        "A \x1b[31mred\x1b[0m word \u{9b}2J `x\x1b]0;t\x07`",
        80,
        false,
    );
    assert!(!painted.contains(['\x1b', '\u{9b}', '\x07']), "{painted:?}");
}
