//! What the Ruby files of a resource type and its providers say of them for people, from running the files.

use super::failure::Run;
use super::interpreter::Interpreter;
use super::resource_type::{declared_type, with_type};
use super::value::Val;
use bunraku_host::{RequiredFiles, RubyType};
use bunraku_pcore::value::Str;

/// The part of the library whose words keep their texts.
const PART: &str = "Documentation of Puppet::Type";

/// A resource type with its texts.
#[derive(Clone, Debug)]
pub struct DescribedType {
    /// What it has.
    pub declared: RubyType,
    /// Its text, as it was written.
    pub text: Str,
    /// Its properties and parameters, in order, without `provider`.
    pub attributes: Vec<DescribedAttribute>,
    /// Its providers; `None` if a file with one cannot be run.
    pub providers: Option<Vec<DescribedProvider>>,
}

/// A property or parameter.
#[derive(Clone, Debug)]
pub struct DescribedAttribute {
    /// The name.
    pub name: Str,
    /// Whether it is a property.
    pub is_property: bool,
    /// Whether it is declared to name the resource.
    pub is_namevar: bool,
    /// Its text, as it was written.
    pub text: Str,
    /// Its values, each as often as it is declared.
    pub written_values: Vec<DescribedValue>,
    /// Its values, each once.
    pub values: Vec<DescribedValue>,
    /// The features of providers that it requires.
    pub required_features: Vec<Str>,
}

/// A value of an attribute, or the pattern of several.
#[derive(Clone, Debug)]
pub struct DescribedValue {
    /// Whether it is a pattern, which `text` then has between slashes.
    pub is_pattern: bool,
    /// The value.
    pub text: Str,
    /// Its other names.
    pub aliases: Vec<Str>,
}

/// A provider.
#[derive(Clone, Debug)]
pub struct DescribedProvider {
    /// The name.
    pub name: Str,
    /// Its text, as it was written, which may be empty.
    pub text: Option<Str>,
    /// Its programs, defaults and features: a list in Markdown.
    pub about: Str,
}

/// The type `name` in a file, with the providers in `providers` (paths that `files` reads, as it reads the
/// files that these require).
///
/// Returns `None` if the type's file cannot run, or does not declare the type. The number of steps is
/// limited.
pub fn described(
    name: &str,
    file: &str,
    text: &str,
    providers: &[String],
    files: RequiredFiles<'_>,
) -> Option<DescribedType> {
    with_type(file, text, files, &[PART], |interpreter| {
        let loaded = providers.iter().all(|path| interpreter.require(path).is_ok());
        let found = find(interpreter, name)?;
        let [text, attributes, keys] = list(interpreter, found, "bunraku_described")?;
        let providers = loaded.then(|| providers_of(interpreter, found)).transpose()?;
        // The methods of a type can make it ensurable, so that this comes last.
        let Some(mut declared) = declared_type(interpreter, name)? else { return Ok(None) };
        declared.keys = names(interpreter, keys)?;
        let text = interpreter.name(text)?;
        let attributes = interpreter.vec(attributes)?;
        let attributes = attributes.into_iter().map(|one| attribute(interpreter, one));
        let attributes = attributes.collect::<Run<'_, Vec<_>>>()?;
        declared.attributes = attributes.iter().map(|one| (one.name.clone(), one.is_property)).collect();
        let attributes = attributes.into_iter().filter(|one| one.name != "provider").collect();
        Ok(Some(DescribedType { declared, text, attributes, providers }))
    })
}

fn find<'a>(interpreter: &mut Interpreter<'a>, name: &str) -> Run<'a, Val<'a>> {
    let types = interpreter.constant("Puppet::Type", interpreter.outside)?;
    let name = interpreter.string(name);
    interpreter.send(types, "type", &[name])
}

/// The elements of a list of a known length, which a method answers.
fn list<'a, const N: usize>(
    interpreter: &mut Interpreter<'a>,
    of: Val<'a>,
    method: &str,
) -> Run<'a, [Val<'a>; N]> {
    let answer = interpreter.send(of, method, &[])?;
    elements(interpreter, answer)
}

fn elements<'a, const N: usize>(interpreter: &mut Interpreter<'a>, of: Val<'a>) -> Run<'a, [Val<'a>; N]> {
    let list = interpreter.vec(of)?;
    <[Val<'a>; N]>::try_from(list).map_err(|list| {
        let message = format!("{} elements where {N} are wanted", list.len());
        interpreter.raise(&super::class::ARGUMENT_ERROR, message)
    })
}

fn attribute<'a>(interpreter: &mut Interpreter<'a>, of: Val<'a>) -> Run<'a, DescribedAttribute> {
    let [name, is_property, is_namevar, text, written, values, features] = elements(interpreter, of)?;
    Ok(DescribedAttribute {
        name: interpreter.name(name)?,
        is_property: is_property.is_truthy(),
        is_namevar: is_namevar.is_truthy(),
        text: interpreter.name(text)?,
        written_values: values_of(interpreter, written)?,
        values: values_of(interpreter, values)?,
        required_features: names(interpreter, features)?,
    })
}

fn values_of<'a>(interpreter: &mut Interpreter<'a>, of: Val<'a>) -> Run<'a, Vec<DescribedValue>> {
    let mut read = Vec::new();
    for value in interpreter.vec(of)? {
        let [is_pattern, text, aliases] = elements(interpreter, value)?;
        let (text, aliases) = (interpreter.name(text)?, names(interpreter, aliases)?);
        read.push(DescribedValue { is_pattern: is_pattern.is_truthy(), text, aliases });
    }
    Ok(read)
}

fn providers_of<'a>(interpreter: &mut Interpreter<'a>, of: Val<'a>) -> Run<'a, Vec<DescribedProvider>> {
    let providers = interpreter.send(of, "bunraku_described_providers", &[])?;
    let mut read = Vec::new();
    for provider in interpreter.vec(providers)? {
        let [name, text, about] = elements(interpreter, provider)?;
        let text = names(interpreter, text)?.pop();
        let (name, about) = (interpreter.name(name)?, interpreter.name(about)?);
        read.push(DescribedProvider { name, text, about });
    }
    Ok(read)
}

fn names<'a>(interpreter: &mut Interpreter<'a>, of: Val<'a>) -> Run<'a, Vec<Str>> {
    interpreter.vec(of)?.into_iter().map(|name| interpreter.name(name)).collect()
}
