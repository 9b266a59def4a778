import type { StatedRequirement } from '../../model/advice/project-statement.ts';
import { isTable, membersOf, parseToml, type Table, tableIn, textIn } from '../syntax/parse-toml.ts';
import type { StatementReader } from './statement.ts';

const MANIFEST = 'Cargo.toml';
const LISTS = ['dependencies', 'dev-dependencies', 'build-dependencies'];

/** Cargo.lock states no requirements. Those of the target are in its manifest, unless it is a workspace of several. */
export const cargoStatement: StatementReader = ({ files }) => {
  const text = files.get(MANIFEST);
  if (text === undefined) return { requirements: [], statesDirect: false, pins: [] };
  const root = parseToml(text, MANIFEST);
  const workspace = tableIn(root['workspace']);
  const shared = tableIn(workspace['dependencies']);
  const targets = membersOf(root['target']).map(([, table]) => tableIn(table));
  return {
    requirements: [root, ...targets].flatMap((table) => requirementsOf(table, shared)),
    statesDirect: root['package'] !== undefined && !Array.isArray(workspace['members']),
    pins: [],
  };
};

function requirementsOf(table: Table, shared: Table): readonly StatedRequirement[] {
  return LISTS.flatMap((list) => membersOf(table[list])).flatMap(([key, stated]) => {
    const entry = isTable(stated) && stated['workspace'] === true ? shared[key] : stated;
    const requirement = textIn(entry) ?? textIn(tableIn(entry)['version']);
    const name = textIn(tableIn(entry)['package']) ?? key;
    return requirement === undefined ? [] : [{ by: '', folder: '', name, requirement }];
  });
}
