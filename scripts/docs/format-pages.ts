import { FORMATS } from '../../src/lockfiles/catalog.ts';
import type { Format, FormatFacts } from '../../src/lockfiles/format.ts';
import { readAs } from '../../src/lockfiles/read-as.ts';
import type { LockedPackage } from '../../src/model/lockfile/lockfile.ts';
import { SAMPLES } from '../../test/lockfiles/samples.ts';

/** What a fact is for, and what Lockhound does without it. */
const FACTS: Readonly<Record<keyof FormatFacts, { readonly name: string; readonly without: string }>> = {
  edges: {
    name: 'dependencies of each package',
    without:
      'the paths to a package come from `GetDependencies` of the insights service, where it knows them',
  },
  groups: {
    name: 'groups, such as development',
    without: 'every package counts as one that is installed',
  },
  integrity: {
    name: 'digests',
    without: 'digests are neither compared between versions of the file nor with the registry',
  },
  lines: { name: 'lines', without: 'findings name the file and no line' },
};

/** The facts in the list of all formats. */
const SHOWN: readonly (keyof FormatFacts)[] = ['edges', 'groups', 'integrity', 'lines'];

/** A page for each format: what is read, what is not, and an example with the packages that its reader returns. */
export function formatPages() {
  const pages = FORMATS.map((format) => ({
    path: `docs/formats/${format.name}.md`,
    content: pageOf(format),
  }));
  const list = FORMATS.map(
    ({ name, title, fileNames, facts, conditions = {} }) =>
      `| [\`${name}\`](${name}.md) | ${title} | ${codes(fileNames)} | ${SHOWN.map((fact) => (facts[fact] ? (conditions[fact] ?? 'yes') : '–')).join(' | ')} |`,
  );
  const content = `# Formats of lockfiles

Lockhound recognises a lockfile by its name, or by its contents where it is named on the command line; \`--as <format>\` sets the format. Each
page says what is read and what is not, with an example.

| format | lockfile | file names | ${SHOWN.join(' | ')} |
|${'---|'.repeat(3 + SHOWN.length)}
${list.join('\n')}

A package is what is *installed from elsewhere*: the root and the members of a workspace are the target itself. Names are those of the ecosystem, Go
versions keep their \`v\`, and a requirement with an open version is a package without a version, because the installed version is not known.
Packages from git, a path or a URL, and SBOM components of other ecosystems, are \`unsupported\`. An npm package of an SBOM is one of the registry that
its purl or its distribution names, so that private packages stay private. An entry that cannot be read is a problem with its line; the rest of the
file is read.

\`lockhound parse\` and \`scan\` leave out what a \`.gitignore\` names and git does not track, and \`node_modules\`, \`.git\` and similar folders; of \`vendor\` and
\`target\` they read only the own files. \`scan\` lists manifests without a lockfile as gaps that change no exit code. Both open no file outside the named folder, whatever a lockfile says. A file or folder that cannot be read (a named pipe, a device, a link out of the folder, no
permission, a name that is not UTF-8) is reported, the others are read, and the exit code is \`2\`. Size, number of packages and nesting are
limited; XML entities and YAML alias bombs are refused.

\`npm run conformance -- <corpora>\` compares the readers with the test data of osv-scalibr, trivy and syft.
`;
  return [...pages, { path: 'docs/formats/index.md', content }];
}

function pageOf(format: Format): string {
  const { name, title, fileNames, aliases = [], ecosystem, unreadable = {}, overriddenBy = {} } = format;
  const samples = Object.entries(SAMPLES).filter(([key]) => key.replace(/ \(.*$/s, '') === name);
  const companions = new Set(
    samples.flatMap(([, text]) =>
      typeof format.companions === 'function' ? format.companions(text, true) : (format.companions ?? []),
    ),
  );
  const facts = (Object.keys(FACTS) as (keyof FormatFacts)[]).map((fact) => factRow(format, fact));
  const remarks = [
    companions.size === 0
      ? ''
      : `Files beside it that are read, too, where they exist: ${codes([...companions])}.`,
    ...Object.entries(overriddenBy).map(
      ([file, by]) => `\`${file}\` is ignored where \`${by}\` exists, as its tool does.`,
    ),
    format.mayBeEmpty === true
      ? 'An empty file has no packages.'
      : format.mayBeEmpty === false
        ? 'An empty file is reported as a problem: it may be one that was lost.'
        : 'An empty file is damaged: the scan reports it as unread.',
    format.isManifest === true || format.mayBeEmpty === true
      ? ''
      : 'A file without a package is a problem, unless it says that the target needs none.',
    ...Object.entries(unreadable).map(([file, advice]) => `\`${file}\` cannot be read: ${advice}.`),
  ].filter((text) => text !== '');
  return [
    `# ${name}: ${title}`,
    '',
    `Files: ${codes(fileNames)}. Ecosystem: ${ecosystem === undefined ? 'any (each component names its own)' : `\`${ecosystem}\``}.${aliases.length === 0 ? '' : ` Other names for \`--as\`: ${codes(aliases)}.`}`,
    '',
    '## What is read',
    '',
    'Name, version, package URL and source of every package, and:',
    '',
    '| fact | read | without it |',
    '|---|---|---|',
    ...facts,
    '',
    ...remarks.map((text) => `- ${text}`),
    '- An entry that cannot be read is a gap with its line; the others count. A finding in such a file is resolved only when it is provably gone.',
    ...samples.flatMap(([key, text]) => example(format, key, text)),
    '',
  ].join('\n');
}

function factRow({ facts, conditions = {} }: Format, fact: keyof FormatFacts): string {
  const { name, without } = FACTS[fact];
  const read = facts[fact] ? (conditions[fact] ?? 'yes') : 'no';
  return `| ${name} | ${read} | ${read === 'yes' ? '' : without} |`;
}

/** A file with all parts that the reader reads, and what it returns. */
function example(format: Format, key: string, text: string): readonly string[] {
  const { packages, problems } = readAs(format, {
    path: format.fileNames[0] ?? format.name,
    content: Buffer.from(text),
  });
  const fence = text.includes('```') ? '````' : '```';
  return [
    '',
    `## Example${key === format.name ? '' : `: ${key.slice(format.name.length + 2, -1)}`}`,
    '',
    `${fence}text`,
    pretty(text).trimEnd(),
    fence,
    '',
    '| package | version | direct | groups | requires | source |',
    '|---|---|---|---|---|---|',
    ...packages.map(packageRow),
    ...problems.map(
      ({ line, message }) => `\nProblem${line === undefined ? '' : ` in line ${line}`}: ${cell(message)}`,
    ),
  ];
}

function packageRow({ name, version, direct, groups, dependencies, source }: LockedPackage): string {
  const isDirect = direct === undefined ? 'not stated' : direct ? 'yes' : 'no';
  const requires = dependencies === undefined ? 'not stated' : codes(dependencies);
  return `| ${codes([name])} | ${codes([version])} | ${isDirect} | ${groups.join(', ')} | ${requires} | ${source.kind} |`;
}

/** JSON on several lines. */
function pretty(text: string): string {
  if (!text.startsWith('{')) return text;
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch (error) {
    // The lockfile of Bun has trailing commas.
    if (error instanceof SyntaxError) return text;
    throw error;
  }
}

function codes(texts: readonly string[]): string {
  return texts
    .filter((text) => text !== '')
    .map((text) => `\`${cell(text)}\``)
    .join(', ');
}

function cell(text: string): string {
  return text.replaceAll('|', '\\|').replaceAll('\n', ' ');
}
