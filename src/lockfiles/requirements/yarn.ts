import type { StatedRequirement } from '../../model/advice/project-statement.ts';
import { LockfileBuilder } from '../packages/lockfile-builder.ts';
import { readGeneral } from '../yarn-lock/berry/packages.ts';
import { readEntries } from '../yarn-lock/classic/entries.ts';
import { aliasedName, type Descriptor } from '../yarn-lock/descriptor.ts';
import { isBerry } from '../yarn-lock/format.ts';
import { pinsIn, readManifest, requirementsIn } from './package-json.ts';
import type { StatementReader } from './statement.ts';

/** yarn.lock: each entry states the requirements of its package; those of the target are in manifests and workspaces. */
export const yarnStatement: StatementReader = (input) => {
  const { text, path, files } = input;
  const manifest = readManifest(files);
  const isModern = isBerry(text);
  const locked = isModern ? ofBerry(text, path) : ofClassic(text);
  const own = manifest === undefined || isModern ? [] : requirementsIn(manifest, '');
  return {
    requirements: [...own, ...locked],
    // A workspace of Yarn 1 is not in its lockfile.
    statesDirect: isModern || (manifest !== undefined && manifest['workspaces'] === undefined),
    pins: pinsIn(manifest),
    manager: isModern ? undefined : 'yarn-1',
  };
};

function ofClassic(text: string): readonly StatedRequirement[] {
  const entries = readEntries({ text }, new LockfileBuilder());
  if (typeof entries === 'number') return [];
  return entries.flatMap(({ key, version, dependencies, optionalDependencies }) =>
    stated([...dependencies, ...optionalDependencies], `${nameOf(key.replace(/^"/, ''))}@${version}`, ''),
  );
}

function ofBerry(text: string, path: string): readonly StatedRequirement[] {
  return readGeneral(text, path).flatMap(({ resolution, version, dependencies }) => {
    const workspace = /@workspace:(.*)$/s.exec(resolution)?.[1];
    if (workspace !== undefined) return stated(dependencies, '', workspace === '.' ? '' : workspace);
    return stated(dependencies, `${nameOf(resolution)}@${version}`, '');
  });
}

function stated(list: readonly Descriptor[], by: string, folder: string): readonly StatedRequirement[] {
  return list.map(({ name, range }) => ({
    by,
    folder,
    name: aliasedName(range) ?? name,
    requirement: range,
  }));
}

function nameOf(descriptor: string): string {
  const at = descriptor.indexOf('@', 1);
  const [name, range] = at < 0 ? [descriptor, ''] : [descriptor.slice(0, at), descriptor.slice(at + 1)];
  return aliasedName(range) ?? name;
}
