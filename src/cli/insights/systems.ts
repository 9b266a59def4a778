import { InvalidArgumentError } from 'commander';
import type { System } from '../../model/lockfile/version-key.ts';

/** Systems by the names people use. */
const SYSTEMS: ReadonlyMap<string, System> = new Map([
  ['npm', 'NPM'],
  ['pypi', 'PYPI'],
  ['cargo', 'CARGO'],
  ['maven', 'MAVEN'],
  ['nuget', 'NUGET'],
  ['rubygems', 'RUBYGEMS'],
  ['gem', 'RUBYGEMS'],
  ['go', 'GO'],
  ['golang', 'GO'],
]);

/** A system by its name in any case; `undefined` for an unknown name. */
export function systemOf(name: string): System | undefined {
  return SYSTEMS.get(name.toLowerCase());
}

/** The same for an argument. Throws `InvalidArgumentError`. */
export function readSystem(name: string): System {
  const system = systemOf(name);
  if (system !== undefined) return system;
  throw new InvalidArgumentError(`The systems are ${[...SYSTEMS.keys()].join(', ')}.`);
}
