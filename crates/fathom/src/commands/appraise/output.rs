//! Where appraisals are written: every form in a folder, or one form in a file whose ending names it.

use std::path::{Path, PathBuf};

use fathom_render::appraisal::{Appraisal, csv, docx, html, summary_plot, traffic_lights};

use crate::cli::ReportFormat;
use crate::exit::{Problem, Result};
use crate::{files, render, screen};

/// What `--out` names.
pub(super) enum AppraisalOutput {
    Folder(PathBuf),
    File { path: PathBuf, format: ReportFormat },
}

/// Endings of files that an appraisal cannot be had as. A folder may have any other ending.
const NO_SUCH_FORMS: [&str; 6] = ["pdf", "bib", "bibtex", "doc", "xlsx", "jpg"];

impl AppraisalOutput {
    /// Makes the folder where it is not there yet, and refuses a name under which nothing can be written.
    pub(super) fn open(out: &Path) -> Result<Self> {
        let ending = super::lower(out.extension());
        let no_such_form = NO_SUCH_FORMS.contains(&ending.as_str());
        match render::format_of(out) {
            Some(format) if !out.is_dir() && !no_such_form => {
                files::check_parent(out)?;
                let path = out.to_owned();
                Ok(Self::File { path, format })
            }
            _ if no_such_form && !out.is_dir() => Err(Problem::usage(format!(
                "an appraisal cannot be written as .{ending}"
            ))
            .advise("Name a folder for every form, or a file that ends in .html, .docx, .json, .csv, .svg, .png or .md")),
            _ => {
                if !out.is_dir() {
                    files::check_parent(out)?;
                    std::fs::create_dir(out).map_err(|error| {
                        Problem::usage(format!("{} cannot be made: {error}", out.display()))
                    })?;
                }
                Ok(Self::Folder(out.to_owned()))
            }
        }
    }

    /// The folder in which trials that are done are kept; nothing beside a single file.
    pub(super) fn folder(&self) -> Option<&Path> {
        match self {
            Self::Folder(folder) => Some(folder),
            Self::File { .. } => None,
        }
    }

    /// Writes what was asked for and says so in a sentence.
    pub(super) fn write(&self, appraisals: &[Appraisal]) -> Result<String> {
        match self {
            Self::Folder(folder) => {
                write_every_form(folder, appraisals)?;
                let folder = folder.display();
                Ok(format!(
                    "Wrote appraisals.html, .docx and .json, robvis.csv, and traffic-lights and summary as .svg and .png to {folder}."
                ))
            }
            Self::File { path, format } => {
                files::write(path, &render::render_appraisals(appraisals, *format)?)?;
                Ok(format!("Wrote {}.", path.display()))
            }
        }
    }
}

fn write_every_form(folder: &Path, appraisals: &[Appraisal]) -> Result<()> {
    let json = render::render_appraisals(appraisals, ReportFormat::Json)?;
    let (lights, summary) = (traffic_lights(appraisals), summary_plot(appraisals));
    for (name, picture) in [("traffic-lights.png", &lights), ("summary.png", &summary)] {
        match picture.png() {
            Ok(bytes) => files::write(&folder.join(name), &bytes)?,
            Err(too_large) => screen::tell(&format!("{name} was not written: {too_large}.")),
        }
    }
    for (name, bytes) in [
        ("appraisals.json", json),
        ("robvis.csv", csv(appraisals).into_bytes()),
        ("traffic-lights.svg", lights.svg().into_bytes()),
        ("summary.svg", summary.svg().into_bytes()),
        ("appraisals.html", html(appraisals).into_bytes()),
        (
            "appraisals.docx",
            docx(appraisals).map_err(Problem::failed)?,
        ),
    ] {
        files::write(&folder.join(name), &bytes)?;
    }
    Ok(())
}
