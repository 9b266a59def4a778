import { isObject } from '../../model/json-object.ts';
import { parseJsonObject } from '../syntax/parse-json.ts';
import { textIn } from '../syntax/parse-toml.ts';
import { type StatementReader, textsOf } from './statement.ts';

/** packages.lock.json states the requirements of the project and of all packages, by target framework. */
export const nugetStatement: StatementReader = ({ text, path }) => {
  const { dependencies } = parseJsonObject(text, path, 'a packages.lock.json');
  const frameworks = isObject(dependencies) ? Object.values(dependencies).filter(isObject) : [];
  const entries = frameworks.flatMap((framework) => Object.entries(framework));
  return {
    requirements: entries.flatMap(([name, entry]) => {
      if (!isObject(entry)) return [];
      const isProject = textIn(entry['type'])?.toLowerCase() === 'project';
      const by = isProject ? '' : `${name}@${textIn(entry['resolved']) ?? ''}`;
      const requested = textIn(entry['requested']);
      const own = requested === undefined ? [] : [{ by: '', folder: '', name, requirement: requested }];
      const needs = textsOf(entry['dependencies']);
      return [...own, ...needs.map(([need, requirement]) => ({ by, folder: '', name: need, requirement }))];
    }),
    statesDirect: true,
    pins: [],
  };
};
