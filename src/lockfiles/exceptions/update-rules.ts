import { membersOf, type Table, tableIn, tablesIn, textIn, textsIn } from '../syntax/parse-toml.ts';
import { parseYaml } from '../syntax/parse-yaml.ts';
import { ageText, isDate, settingsIn } from './settings.ts';
import type { EntryFinder, ExceptionReader, Rule, StatedException } from './text-file.ts';
import { entryFinder } from './text-file.ts';

/** purl types by the names that Dependabot and Renovate have for package managers. */
const ECOSYSTEMS: ReadonlyMap<string, string> = new Map([
  ...['npm', 'bun'].map((name) => [name, 'npm'] as const),
  ...['pip', 'uv', 'pip_requirements', 'poetry', 'pep621'].map((name) => [name, 'pypi'] as const),
  ...([
    ['cargo', 'cargo'],
    ['gomod', 'golang'],
    ['bundler', 'gem'],
    ['nuget', 'nuget'],
  ] as const),
]);
const EXCLUDE: readonly Rule[] = [['cooldown-exclude', 'names', 'cooldown.exclude']];
const RENOVATE: readonly Rule[] = ['', '*.'].flatMap((prefix): readonly Rule[] => [
  ['cooldown', 'age', `${prefix}minimumReleaseAge`],
  ['cooldown', 'age', `${prefix}stabilityDays`, 1_440],
  ['update-rule', 'names', `${prefix}ignoreDeps`],
  ['update-rule', 'names', `${prefix}ignorePaths`],
]);

/** dependabot.yml: `ignore`, `cooldown`, and a limit of no proposals. */
export const readDependabot: ExceptionReader = ({ text, path }) => {
  const finder = entryFinder(text);
  return tablesIn(yamlIn(text, path)['updates']).flatMap((update): readonly StatedException[] => {
    const subject = textIn(update['package-ecosystem']) ?? '';
    const ecosystem = ECOSYSTEMS.get(subject);
    const one = (kind: StatedException['kind'], key: string, value: string) => {
      finder.section(key);
      return finder.entry({ kind, setting: key, subject, token: key, ecosystem, value });
    };
    finder.block('package-ecosystem');
    const days = membersOf(update['cooldown']).flatMap(([key, value]) =>
      key.endsWith('-days') ? [`${key.slice(0, -5)} ${textIn(value) ?? ''} days`] : [],
    );
    const limit = 'open-pull-requests-limit';
    const excluded = settingsIn(update, EXCLUDE, ecosystem, finder);
    finder.section('ignore');
    return [
      ...tablesIn(update['ignore']).map((rule) => {
        const name = textIn(rule['dependency-name']) ?? '*';
        const range = textIn(rule['versions']) ?? textsIn(rule['versions']).join(' || ');
        const about = { ecosystem, package: name, range, value: textsIn(rule['update-types']).join(', ') };
        return finder.entry({ kind: 'update-rule', setting: 'ignore', subject: name, ...about });
      }),
      ...(days.length === 0 ? [] : [one('cooldown', 'cooldown', days.join(', '))]),
      ...excluded,
      ...(textIn(update[limit]) === '0' ? [one('update-rule', limit, '0')] : []),
    ];
  });
};

/** renovate.json and renovate.json5: what is not updated, and how old a release has to be. */
export const readRenovate: ExceptionReader = ({ text, path }) => {
  const finder = entryFinder(text, '//');
  const root = yamlIn(asYaml(text), path);
  const rules = settingsIn(root, RENOVATE, undefined, finder);
  const disabled = membersOf({ '*': root, ...root }).filter(
    ([, value]) => tableIn(value)['enabled'] === 'false',
  );
  finder.section('packageRules');
  return [
    ...rules.map((one) => (one.setting.endsWith('ignoreDeps') ? { ...one, package: one.subject } : one)),
    ...tablesIn(root['packageRules']).flatMap((rule) => packageRule(rule, finder)),
    ...disabled.map(([subject]) => {
      const token = subject === '*' ? 'enabled' : subject;
      finder.section(token);
      return finder.entry({ kind: 'update-rule', setting: 'enabled', subject, token, value: 'false' });
    }),
  ];
};

/** Selectors of a rule, also by their former names, which Renovate still takes. */
const SELECTORS =
  /^(?:match|exclude)|^(?:package(?:Names|Patterns)|updateTypes|depTypeList|paths|managers|datasources|languages)$/;

/** A rule that disables updates, bounds their versions, or changes the age that releases need. Others only group and label. */
function packageRule(rule: Table, finder: EntryFinder): readonly StatedException[] {
  const textsOf = (...keys: readonly string[]) => keys.flatMap((key) => textsIn(rule[key]));
  const names = textsOf('matchPackageNames', 'matchDepNames', 'packageNames');
  const [manager = ''] = textsOf('matchManagers', 'matchCategories', 'managers');
  const selectors = membersOf(rule).filter(([key]) => SELECTORS.test(key));
  const all = selectors.map(([key, value]) => `${key} ${textsIn(value).join(', ')}`).join('; ') || '*';
  const reason = textIn(rule['description']) ?? textsIn(rule['description']).join(' ');
  const token = reason || (textsIn(selectors[0]?.[1])[0] ?? '*');
  const about = {
    ...{ setting: 'packageRules', reason, ecosystem: ECOSYSTEMS.get(manager) },
    range: textIn(rule['matchCurrentVersion']),
  };
  const entries = (kind: StatedException['kind'], value: string): readonly StatedException[] =>
    names.length === 0
      ? [finder.entry({ kind, ...about, subject: all, token, value })]
      : names.map((subject) => finder.entry({ kind, ...about, subject, package: subject, value }));
  const [allowed, days] = [textIn(rule['allowedVersions']), textIn(rule['stabilityDays'])];
  const age = textIn(rule['minimumReleaseAge']) ?? (days && ageText(days, 1_440));
  const types = textsOf('matchUpdateTypes', 'updateTypes').join(', ');
  return [
    ...textsOf('ignoreDeps').map((subject) =>
      finder.entry({ kind: 'update-rule', ...about, subject, package: subject, value: 'ignoreDeps' }),
    ),
    ...(rule['enabled'] === 'false' ? entries('update-rule', `no ${types} updates`.replace('  ', ' ')) : []),
    ...(allowed === undefined ? [] : entries('update-rule', `allowedVersions ${allowed}`)),
    ...(age === undefined ? [] : entries(/^(?:null|0\b)/.test(age) ? 'cooldown-exclude' : 'cooldown', age)),
  ];
}

/** .snyk: `ignore` and `patch`, by the ids of Snyk. An entry has expired when all of its paths have. */
export const readSnyk: ExceptionReader = ({ text, path }) => {
  const root = yamlIn(text, path);
  const finder = entryFinder(text);
  const entries = ['ignore', 'patch'].flatMap((setting) =>
    membersOf(root[setting]).map(([id, paths]) => [setting, id, paths] as const),
  );
  return entries.map(([setting, id, paths]) => {
    const rules = tablesIn(paths).flatMap((one) => membersOf(one).map(([, rule]) => tableIn(rule)));
    const ends = rules.map((rule) => textIn(rule['expires']) ?? '');
    const last = ends.sort((left, right) => Date.parse(left) - Date.parse(right)).at(-1);
    const reason = rules.map((rule) => textIn(rule['reason'])).find((one) => one !== undefined);
    const about = {
      setting,
      subject: id,
      advisory: id,
      reason,
      until: ends.every(isDate) ? last : undefined,
    };
    return finder.entry({ kind: 'ignored-advisory', ...about });
  });
};

function yamlIn(text: string, path: string): Table {
  return tableIn(parseYaml(text, path)[0]?.content);
}

/** Strings, comments and tabs of JSON5. What is not finished ends with the text. */
const JSON5_PART = /"(?:[^"\\]|\\[\s\S]?)*"?|'(?:[^'\\]|\\[\s\S]?)*'?|\/\/[^\n]*|\/\*[\s\S]*?(?:\*\/|$)|\t/g;

/** JSON5 without comments is YAML, but for the escapes of strings in single quotes. */
function asYaml(text: string): string {
  return text.replace(JSON5_PART, (part) => {
    if (part.startsWith("'")) return `"${part.slice(1, -1).replace(/\\'/g, "'").replace(/"/g, '\\"')}"`;
    return part.startsWith('"') ? part : part.replace(/[^\n]/g, ' ');
  });
}
