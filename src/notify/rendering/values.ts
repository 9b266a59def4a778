import type { Secret } from '../../model/secret.ts';
import type { Alert } from '../alert/alert.ts';
import { PRESETS } from '../presets/catalog.ts';
import type { AlertVariable } from '../presets/preset.ts';
import type { VariableValue } from '../webhooks/definition.ts';
import { LOCKHOUND_VARIABLES } from './lockhound-variables.ts';
import { PLATFORM_VARIABLES, tagOf } from './platform-variables.ts';

/** All variables computed from an alert: the platform's, Lockhound's, and those of the presets. */
export const ALERT_VARIABLES: readonly AlertVariable[] = [
  ...PLATFORM_VARIABLES,
  ...LOCKHOUND_VARIABLES,
  ...PRESETS.flatMap(({ variables }) => variables ?? []),
];

/** The value of a variable. */
interface Value {
  readonly text: string;
  /** JSON text, for an unquoted position in JSON. */
  readonly json: string;
  /** True for custom variables, which an operator wrote and which may be URLs; other values come from packages. */
  readonly trusted: boolean;
}

export type Values = ReturnType<typeof valuesOf>;

const BY_NAME: ReadonlyMap<string, AlertVariable> = new Map(
  ALERT_VARIABLES.map((variable) => [variable.name, variable]),
);

/** Custom variables and those of the alert; a custom variable replaces one of the alert with the same name. */
export function valuesOf(alert: Alert, custom: Readonly<Record<string, VariableValue>>) {
  return {
    has: knownNames(custom),
    /** Computed on request: most templates use few variables. */
    get(name: string): Value | undefined {
      const own = Object.hasOwn(custom, name) ? custom[name] : undefined;
      if (own !== undefined) {
        const text = textOf(own);
        return { text, json: asJson(text), trusted: true };
      }
      const tag = /^TAGS\[(.*)\]$/s.exec(name)?.[1];
      if (tag !== undefined) return alertValue(tagOf(alert, tag));
      const variable = BY_NAME.get(name);
      if (variable === undefined) return undefined;
      return alertValue('text' in variable ? variable.text(alert) : variable.json(alert));
    },
  };
}

/** Returns whether a template may use `$name`. */
export function knownNames(custom: Readonly<Record<string, unknown>>): (name: string) => boolean {
  return (name) => BY_NAME.has(name) || Object.hasOwn(custom, name);
}

/** The text of a custom variable, secrets included. */
export function textOf(value: VariableValue): string {
  return 'secret' in value ? value.secret.reveal() : value.value;
}

export function secretsIn(custom: Readonly<Record<string, VariableValue>>): readonly Secret[] {
  return Object.values(custom).flatMap((value) => ('secret' in value ? [value.secret] : []));
}

function alertValue(value: unknown): Value {
  const json = JSON.stringify(value);
  return { text: typeof value === 'string' ? value : json, json, trusted: false };
}

/** As the platform does: text that is JSON (`5`, `true`) stays as it is, other text becomes a JSON string. */
function asJson(text: string): string {
  try {
    JSON.parse(text);
    return text;
  } catch {
    return JSON.stringify(text);
  }
}
