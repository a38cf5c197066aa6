//! `fathom ask -i`: question after question, each understood with those before it.
//!
//! Every question is a run of its own, with its own time limit and its own bound on searches; it holds the turns before it.
//! So a talk is lost with no crash, and goes on after any of its runs: `fathom ask -i --resume ID`.

mod prompt;

use std::ffi::OsStr;
use std::process::Stdio;

use fathom_render::Answer;
use fathom_render::answer::AnswerSource;
use fathom_research::workflows::ask::state::AskState;
use fathom_research::workflows::ask::{self, AskSettings, AskedTurn};
use fathom_workflow::journal::RunFilter;
use fathom_workflow::record::Status;
use fathom_workflow::{Error, RunId};

use super::Asking;
use crate::answer_screen::SourcePlace;
use crate::cli::{AskArgs, OutputArgs};
use crate::commands::{RunsContext, runs};
use crate::deliver::{self, Deliverable};
use crate::exit::{Exit, Problem, Result};
use crate::{answer_screen, follow, screen};
use prompt::{Prompt, Typed};

const HELP: &str = "\
Ask in your own words; a question may lean on the one before: \"and at night?\"
  :sources   show the passages of the last answer in full
  :open N    open the file of source N
  :history   list what was asked
  :new       forget what was asked, and begin anew
  :help      show this
  :quit      leave; the talk can be continued later";

/// Talks until the person leaves.
pub(super) async fn talk(args: &AskArgs, context: &RunsContext) -> Result<Exit> {
    let mut talk = match &args.resume {
        Some(id) => Talk::resumed(context, id.as_deref(), args).await?,
        None => Talk::begun(context, args).await?,
    };
    let mut next = args.question.clone();
    let mut prompt = Prompt::open(&context.settings.home).await?;
    if !args.output.quiet && next.is_none() {
        screen::tell("Ask your documents. :help shows what else you can do; Ctrl-D leaves.");
    }
    loop {
        let line = match next.take() {
            Some(question) => Typed::Line(question),
            None => prompt.line().await?,
        };
        match line {
            Typed::Line(line) if line.is_empty() => {}
            // Many programs are left by a word alone.
            Typed::Line(line) if ["exit", "quit"].contains(&line.as_str()) => break,
            Typed::Line(line) if ["help", "/help"].contains(&line.as_str()) => screen::tell(HELP),
            Typed::Line(line) if line.starts_with(':') => {
                if !talk.obey(&line)? {
                    break;
                }
            }
            Typed::Line(question) => talk.ask(&question).await?,
            Typed::Left => break,
        }
    }
    talk.farewell();
    Ok(Exit::Complete)
}

/// A talk and where it stands.
struct Talk<'a> {
    asking: Asking<'a>,
    output: OutputArgs,
    /// Whether nothing is shown while it works.
    silent: bool,
    turns: Vec<AskedTurn>,
    last: Option<(RunId, Answer)>,
}

impl<'a> Talk<'a> {
    async fn begun(context: &'a RunsContext, args: &AskArgs) -> Result<Self> {
        let settings = super::opened(context, args.output.quiet).await?;
        Ok(Self::new(context, args, settings))
    }

    fn new(context: &'a RunsContext, args: &AskArgs, settings: AskSettings) -> Self {
        Self {
            asking: Asking {
                host: &context.host,
                settings,
                keep: args.keep,
            },
            silent: args.output.quiet,
            output: OutputArgs {
                // Only the answer itself: how it can be continued is told once, in the end.
                quiet: true,
                ..args.output.clone()
            },
            turns: Vec::new(),
            last: None,
        }
    }

    /// A talk as it stood after a run, which is worked on to its end if it was cut off.
    async fn resumed(context: &'a RunsContext, id: Option<&str>, args: &AskArgs) -> Result<Self> {
        let host = &context.host;
        let run = match id {
            Some(id) => runs::resolve(context, id).await?,
            None => last_run(context).await?,
        };
        let header = host.header(run).await?;
        let is = header.about.workflow.clone();
        if is != ask::NAME {
            let (is, wanted) = (is.into_owned(), ask::NAME.to_owned());
            return Err(Error::OtherWorkflow { run, is, wanted }.into());
        }
        let state: AskState = serde_json::from_value(host.view(run, None).await?.state)
            .map_err(|error| Problem::failed(format!("run {run} cannot be read: {error}")))?;
        let settings = if args.library.is_empty() {
            AskSettings::clone(&state.settings)
        } else {
            super::opened(context, args.output.quiet).await?
        };
        let mut talk = Self::new(context, args, settings);
        talk.turns = state.earlier;
        if header.head.status == Status::Completed {
            talk.take(run).await?;
            talk.show()?;
        } else {
            follow::take_up(host, run, args.output.quiet).await?;
            talk.work(run).await?;
        }
        Ok(talk)
    }

    async fn ask(&mut self, question: &str) -> Result<()> {
        match self.asking.start(question, self.turns.clone()).await {
            Ok(run) => self.work(run).await,
            // A question that is refused is no reason to end the talk.
            Err(problem) if problem.exit == Exit::Usage => {
                screen::tell(&screen::harmless(&problem.to_string()));
                Ok(())
            }
            Err(problem) => Err(problem),
        }
    }

    /// Works on a run to its end, and shows what it brought.
    async fn work(&mut self, run: RunId) -> Result<()> {
        screen::print("\n")?;
        let host = self.asking.host;
        match follow::follow_briefly(self.silent, host, run, &self.output).await {
            Ok(_) => self.take(run).await?,
            Err(problem) => screen::tell(&screen::harmless(&problem.to_string())),
        }
        screen::print("\n")
    }

    /// Takes the answer of a finished run into the talk.
    async fn take(&mut self, run: RunId) -> Result<()> {
        if let Some(Deliverable::Answer { answer, .. }) =
            deliver::outcome(self.asking.host, run).await?
        {
            if answer.is_answer() {
                self.turns.push(AskedTurn {
                    question: answer.question.clone(),
                    in_full: answer.understood_as.clone(),
                    answer: answer.text(),
                });
            }
            self.last = Some((run, *answer));
        }
        Ok(())
    }

    /// Shows the last answer once more.
    fn show(&self) -> Result<()> {
        let Some((_, answer)) = &self.last else {
            return Ok(());
        };
        let roots = &self.asking.settings.library;
        screen::print(&format!("\n{}\n", answer_screen::painted(answer, roots)))
    }

    /// Does what a line with a colon asks for; false to leave.
    fn obey(&mut self, line: &str) -> Result<bool> {
        let (word, rest) = line.split_once(' ').unwrap_or((line, ""));
        match word {
            ":q" | ":quit" | ":exit" => return Ok(false),
            ":sources" => match &self.last {
                Some((_, answer)) => {
                    let roots = &self.asking.settings.library;
                    screen::print(&answer_screen::sources(answer, roots))?;
                }
                None => screen::tell("Nothing was asked yet."),
            },
            ":open" => self.open(rest.trim()),
            ":history" => {
                for (nth, turn) in (1..).zip(&self.turns) {
                    let asked = turn.in_full.as_ref().unwrap_or(&turn.question);
                    screen::print_line(&screen::harmless(&format!("{nth}. {asked}")))?;
                }
            }
            ":new" => {
                self.turns.clear();
                screen::tell("Forgotten. The next question stands by itself.");
            }
            ":help" => screen::tell(HELP),
            other => screen::tell(&format!(
                "There is no {}; see :help.",
                screen::harmless(other)
            )),
        }
        Ok(true)
    }

    /// Opens the file of a source with what the desktop uses for it; where there is none, says where it is.
    fn open(&self, number: &str) {
        let number: Option<u32> = number.parse().ok();
        let sources = self.last.iter().flat_map(|(_, answer)| &answer.sources);
        let wanted = |source: &&AnswerSource| Some(source.number.0) == number;
        let Some(source) = sources.into_iter().find(wanted) else {
            return screen::tell("Name a source of the last answer by its number, as in :open 2");
        };
        let place = answer_screen::place_of(&self.asking.settings.library, &source.location);
        let place = match place {
            None => {
                let gone = screen::harmless(&source.location);
                return screen::tell(&format!("{gone} is no longer there."));
            }
            Some(SourcePlace::File(file)) => file.into_os_string(),
            Some(SourcePlace::Page(address)) => address.into(),
        };
        let told = screen::harmless(&place.to_string_lossy());
        screen::tell(&if has_opened(&place) {
            format!("Opened {told}")
        } else {
            format!("It is {told}")
        });
    }

    fn farewell(&self) {
        if let Some((run, _)) = &self.last {
            screen::tell(&format!(
                "Continue this talk with: fathom ask -i --resume {run}"
            ));
        }
    }
}

/// Whether the desktop could be asked to open a file or a page.
fn has_opened(place: &OsStr) -> bool {
    const OPENERS: [&str; 2] = ["xdg-open", "open"];
    OPENERS.iter().any(|opener| {
        let started = std::process::Command::new(opener)
            .arg(place)
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn();
        started.is_ok()
    })
}

/// The run that was asked last.
async fn last_run(context: &RunsContext) -> Result<RunId> {
    let filter = RunFilter {
        workflow: Some(ask::NAME.to_owned()),
        limit: 1,
        ..RunFilter::default()
    };
    let listed = context.host.list(&filter).await?;
    let last = listed.runs.first().map(|run| run.id());
    last.ok_or_else(|| Problem::usage("nothing was asked yet, so there is no talk to continue"))
}
