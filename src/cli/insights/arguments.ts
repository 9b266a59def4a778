import { Argument, InvalidArgumentError } from 'commander';
import type { System } from '../../model/scan/version-key.ts';

const SYSTEMS: Readonly<Record<string, System>> = {
  npm: 'NPM',
  pypi: 'PYPI',
  cargo: 'CARGO',
  maven: 'MAVEN',
  nuget: 'NUGET',
  rubygems: 'RUBYGEMS',
  gem: 'RUBYGEMS',
  go: 'GO',
  golang: 'GO',
};

/** A system by the word people use for it, in any case. `undefined` when there is none. */
export function systemOf(word: string): System | undefined {
  const name = word.toLowerCase();
  return Object.hasOwn(SYSTEMS, name) ? SYSTEMS[name] : undefined;
}

export function systemArgument(): Argument {
  return new Argument('<system>', 'npm, pypi, cargo, maven, nuget, rubygems or go').argParser(readSystem);
}

export function readSystem(word: string): System {
  const system = systemOf(word);
  if (system !== undefined) return system;
  throw new InvalidArgumentError(`The systems are ${Object.keys(SYSTEMS).join(', ')}.`);
}
