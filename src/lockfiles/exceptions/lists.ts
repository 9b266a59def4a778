import { requirementName } from '../ecosystems/python.ts';
import { readDirectives } from '../go-mod/directives.ts';
import { npmrcEntries } from '../requirements/cooldown.ts';
import { cooldownsIn } from '../requirements/cooldown-settings.ts';
import { ageText, packageOf } from './settings.ts';
import { type ExceptionReader, entryFinder, type StatedException } from './text-file.ts';

/** .npmrc: registries and the cooldown. Other keys and comments, which may be credentials, are not looked at. */
export const readNpmrc: ExceptionReader = ({ text }) => {
  const finder = entryFinder(text, 'none');
  const setting = '.npmrc';
  const cooldowns = cooldownsIn(setting);
  return npmrcEntries(text).flatMap(([key, value]): readonly StatedException[] => {
    const about = { setting, subject: key, ecosystem: 'npm' };
    const scope = /^(@[^:/]+):registry$/.exec(key)?.[1];
    if (key === 'registry' || scope !== undefined)
      return [finder.entry({ kind: 'registry', ...about, package: scope && `${scope}/*`, value })];
    const age = cooldowns.find(([, at]) => at === key);
    if (age !== undefined)
      return [finder.entry({ kind: 'cooldown', ...about, value: ageText(value, age[2]) })];
    if (!cooldowns.some(([, , , except]) => except === key.replace(/\[\]$/, ''))) return [];
    return value.split(',').map((name) => {
      const subject = name.trim();
      return finder.entry({ kind: 'cooldown-exclude', setting, subject, ...packageOf(subject, 'npm') });
    });
  });
};

/** constraints.txt: a requirement in each line. */
export const readConstraints: ExceptionReader = ({ text }) => {
  const finder = entryFinder(text);
  return text.split('\n').flatMap((line) => {
    const subject = withoutComment(line).replace(/\\$/, '').trim();
    if (requirementName(subject) === undefined) return [];
    const about = packageOf(subject, 'pypi');
    return finder.entry({ kind: 'constraint', setting: 'constraints', subject, ...about });
  });
};

function withoutComment(line: string): string {
  return (line.split(/(?:^|\s)#/, 1)[0] ?? '').trim();
}

const DATED = /\sexp:(\d{4}-\d{2}-\d{2})(?=\s|$)/;

/** .trivyignore: an id in each line, with a last day (`exp:2027-01-01`). */
export const readTrivyIgnore: ExceptionReader = ({ text }) => {
  const finder = entryFinder(text);
  return text.split('\n').flatMap((line) => {
    const stated = withoutComment(line);
    const [id = ''] = stated.split(/\s/, 1);
    if (id === '') return [];
    const about = { setting: '.trivyignore', subject: id, advisory: id, until: DATED.exec(stated)?.[1] };
    return finder.entry({ kind: 'ignored-advisory', ...about });
  });
};

/** go.mod: `replace` and `exclude`. */
export const readGoMod: ExceptionReader = ({ text }) => {
  const finder = entryFinder(text);
  return readDirectives(text).directives.flatMap(
    ({ verb, words, comment, line }): readonly StatedException[] => {
      if (verb !== 'exclude' && verb !== 'replace') return [];
      const arrow = words.indexOf('=>');
      const old = arrow < 0 ? words : words.slice(0, arrow);
      const [name = '', range] = old;
      const about = { ecosystem: 'golang', package: name, range, reason: comment };
      const subject = old.join(' ');
      const kind = verb === 'exclude' ? 'excluded-version' : 'source';
      const value = arrow < 0 ? undefined : words.slice(arrow + 1).join(' ');
      return [{ ...finder.entry({ kind, setting: verb, subject, ...about, value }), line }];
    },
  );
};
