import { z } from 'zod';
import { routingOf } from '../../compose/notify/routing.ts';
import { NO_ROUTING, suppressionsIn } from '../../compose/ports.ts';
import { policyOf } from '../../config/effective-policy.ts';
import { type LoadedConfig, parseYaml } from '../../config/load.ts';
import { notify } from '../../config/sections/notify.ts';
import { owners } from '../../config/sections/owners.ts';
import { policy } from '../../config/sections/policy.ts';
import { configuredSuppressions, suppressions } from '../../config/sections/suppressions.ts';
import { messageOf } from '../../model/errors.ts';
import { isObject } from '../../model/json-object.ts';
import type { ComparisonRules } from '../../scan/compare.ts';
import { rulesNotReplayed } from '../../scan/replay.ts';
import { Refusal } from '../refusal.ts';

const MAX_CHARACTERS = 1_048_576;
const MAX_FAULTS = 10;

/** The parts of a configuration that decide about alerts. Others are not looked at, and no secret is read. */
const schema = z.object({ policy: policy.prefault({}), notify: notify.optional(), suppressions, owners });

/** The rules of now: those of the configuration and its VEX documents. */
export async function currentRules(loaded: LoadedConfig): Promise<ComparisonRules> {
  const { notify: routes } = loaded.config;
  const routing = routes === undefined ? NO_ROUTING : routingOf(routes);
  return { routing, policy: policyOf(loaded.config), suppressions: await suppressionsIn(loaded)() };
}

/** The rules in a text. Without `notify` it has the routes of now. Throws `Refusal` (`config-invalid`). */
export function testedRules(
  { path, text }: { readonly path: string; readonly text: string },
  current: ComparisonRules,
): ComparisonRules {
  const refused = (detail: string) => new Refusal(400, 'config-invalid', `${path} ${detail}`);
  if (text.length > MAX_CHARACTERS) throw refused(`has more than ${MAX_CHARACTERS} characters`);
  let content: unknown;
  try {
    content = parseYaml(path, text);
  } catch (error) {
    throw new Refusal(400, 'config-invalid', messageOf(error));
  }
  const known = Object.keys(schema.shape);
  if (!isObject(content) || !known.some((key) => Object.hasOwn(content, key)))
    throw refused(`has none of ${known.join(', ')}`);
  const { data, error } = schema.safeParse(content);
  if (data === undefined) {
    const faults = error.issues.map(({ path, message }) => `${path.join('.')}: ${message}`);
    throw refused(`is not valid: ${faults.slice(0, MAX_FAULTS).join('; ')}`);
  }
  const routing = data.notify === undefined ? current.routing : routingOf(data.notify);
  return { routing, policy: policyOf(data), suppressions: configuredSuppressions(data.suppressions) };
}

/** Conditions of routes on what the ledger does not have, or has of some packages alone. */
const UNKNOWN_CONDITIONS = ['minEpss', 'withoutGroups', 'fixable', 'owners', 'direct'] as const;

/** Settings that have no effect on the past, or another one than in a worker. */
export function notReplayed(all: readonly ComparisonRules[]): string[] {
  const found = all.flatMap(({ policy: own, routing: { rules } }) => [
    ...rulesNotReplayed(own).map((rule) => `policy.rules.${rule}`),
    ...(own.developmentStep > 0 ? ['policy.developmentStep'] : []),
    ...UNKNOWN_CONDITIONS.filter((name) => rules.some(({ match }) => match[name] !== undefined)).map(
      (name) => `match.${name}`,
    ),
  ]);
  return [...new Set(found)].sort();
}
