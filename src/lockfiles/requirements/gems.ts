import type { StatedRequirement } from '../../model/advice/project-statement.ts';
import type { StatementReader } from './statement.ts';

/** `name (version)` or `name (version-platform)` of a gem. */
const GEM = /^ {4}(\S+) \(([^()\s-]+)(?:-[^()]+)?\)$/;
/** A gem that another one needs, with its requirement. */
const NEED = /^ {6}([^\s(!]+)(?: \(([^()]+)\))?$/;
/** A gem that the Gemfile names. */
const OWN = /^ {2}([^\s(!]+)(?: \(([^()]+)\))?!?$/;

/** Gemfile.lock states the requirements of all gems and of the Gemfile. */
export const gemStatement: StatementReader = ({ text }) => {
  const requirements: StatedRequirement[] = [];
  let [section, by] = ['', ''];
  for (const line of text.split('\n').map((raw) => raw.trimEnd())) {
    if (/^\S/.test(line)) section = line;
    const [, gem, version] = GEM.exec(line) ?? [];
    if (gem !== undefined) by = section === 'PATH' ? '' : `${gem}@${version}`;
    const [, name, requirement = '>= 0'] = (section === 'DEPENDENCIES' ? OWN : NEED).exec(line) ?? [];
    if (name === undefined) continue;
    requirements.push({ by: section === 'DEPENDENCIES' ? '' : by, folder: '', name, requirement });
  }
  return { requirements, statesDirect: true, pins: [] };
};
