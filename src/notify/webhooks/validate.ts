import { NotifyError } from '../errors.ts';
import { ALERT_VARIABLES } from '../rendering/alert-variables.ts';
import { PLATFORM_VARIABLES } from '../rendering/platform-variables.ts';
import { checkName } from '../rendering/render-headers.ts';
import { markQuoted, partlyKnownNames, splitTemplate, unknownNames } from '../rendering/template.ts';
import { knownNames } from '../rendering/values.ts';
import { checkRendering } from './check-rendering.ts';
import { DEFAULT_PAYLOAD } from './default-payload.ts';
import { type Desired, type DesiredWebhook, definitionFor } from './definition.ts';

type IsKnown = (name: string) => boolean;

/**
 * Finds what cannot work before anything is sent, also with the values that the variables have now. Throws `NotifyError`:
 * `bad-request` (names), `url-invalid`, `header-invalid`, `template-invalid`, `variable-unknown` (a template uses what is
 * defined nowhere).
 */
export function validateDesired(desired: Desired): void {
  const { webhooks, variables } = desired;
  const isKnown = knownNames(variables);
  for (const name of Object.keys(variables)) checkVariableName(name);
  for (const webhook of webhooks) {
    checkWebhook(webhook, isKnown);
    checkAddress(webhook, variables, isKnown);
  }
  const names = webhooks.map(({ name }) => name);
  const twice = names.find((name, index) => names.indexOf(name) !== index);
  if (twice !== undefined) {
    throw new NotifyError('bad-request', `Two routes use a webhook named ${twice}: give each its own name`);
  }
  checkRendering(desired);
}

/** What works, and is likely to be regretted; a line each, without any value. */
export function warningsOf({ webhooks, variables }: Desired): readonly string[] {
  const isKnown = knownNames(variables);
  return webhooks.flatMap((webhook) => {
    const { name, url } = webhook;
    const used = splitTemplate(url, isKnown).flatMap((piece) =>
      'variable' in piece ? [piece.variable] : [],
    );
    const secrets = [...new Set(used)].filter((variable) => {
      const value = Object.hasOwn(variables, variable) ? variables[variable] : undefined;
      return value !== undefined && 'secret' in value;
    });
    return [
      ...secrets.map(
        (secret) =>
          `The URL of webhook ${name} holds the secret ${secret}: URLs end up in the logs of others. ` +
          'Put it into a header where the receiver allows it',
      ),
      ...partlyKnown(webhook, isKnown),
    ];
  });
}

/** The platform reads `$USER_TOKEN` as `$USER` and text when there is no USER_TOKEN; hardly anybody means that. */
function partlyKnown({ name, url, headers, payload }: DesiredWebhook, isKnown: IsKnown): readonly string[] {
  const templates = [url, ...Object.values(headers ?? {}), payload ?? ''];
  const found = templates.flatMap((template) => partlyKnownNames(template, isKnown));
  const unique = new Map(found.map((one) => [one.written, one]));
  return [...unique.values()].map(({ written, known }) => {
    const rest = JSON.stringify(written.slice(known.length));
    return `Webhook ${name} uses $${written}, which is defined nowhere: it is read as $${known} and the text ${rest}`;
  });
}

/**
 * With `delivery: platform-event` the platform fills payloads in: a line for each webhook that uses variables which only
 * Lockhound knows.
 */
export function platformWarningsOf({ webhooks, variables }: Desired): readonly string[] {
  const isKnown = knownNames(variables);
  return webhooks.flatMap(({ name, payload }) => {
    const pieces = splitTemplate(payload ?? '', isKnown);
    const used = pieces.flatMap((piece) => ('variable' in piece ? [piece.variable] : []));
    const own = [...new Set(used)].filter((one) => OWN_NAMES.has(one) && !Object.hasOwn(variables, one));
    if (own.length === 0) return [];
    const list = own.map((one) => `$${one}`).join(', ');
    return [
      `The payload of webhook ${name} uses ${list}, which the platform does not know: it stays as it is`,
    ];
  });
}

const OWN_NAMES: ReadonlySet<string> = new Set(
  ALERT_VARIABLES.filter((variable) => !PLATFORM_VARIABLES.includes(variable)).map(({ name }) => name),
);

function checkWebhook(webhook: DesiredWebhook, isKnown: IsKnown): void {
  const { name, url, headers, payload, encodeAs } = definitionFor(webhook);
  const subject = `webhook ${name}`;
  if (name === '' || /\s/.test(name)) {
    throw new NotifyError(
      'bad-request',
      `${JSON.stringify(name)} is no webhook name: it may not have spaces`,
    );
  }
  checkUrl(url, isKnown, subject);
  for (const [header, value] of Object.entries(headers)) {
    checkName(header, subject);
    if (/[\0\r\n]/.test(value)) {
      throw new NotifyError('header-invalid', `The header ${header} of ${subject} holds a line break`);
    }
    checkKnown(value, isKnown, `The header ${header} of ${subject}`);
  }
  checkPayload(payload ?? DEFAULT_PAYLOAD, encodeAs, isKnown, subject);
}

/** A URL that begins with a variable takes its address from there: the variable has to be a configured one that has one. */
function checkAddress(
  { name, url }: DesiredWebhook,
  variables: Desired['variables'],
  isKnown: IsKnown,
): void {
  const [first] = splitTemplate(url, isKnown);
  if (first === undefined || 'text' in first) return;
  const value = Object.hasOwn(variables, first.variable) ? variables[first.variable] : undefined;
  const text = value === undefined ? '' : 'secret' in value ? value.secret.reveal() : value.value;
  if (/^https?:\/\/[^\s/]/i.test(text.trim())) return;
  const what =
    value === undefined
      ? 'which is no custom variable'
      : 'whose value does not begin with http:// or https://';
  throw new NotifyError('url-invalid', `The URL of webhook ${name} begins with $${first.variable}, ${what}`);
}

function checkVariableName(name: string): void {
  if (/^[A-Z0-9_]+$/.test(name)) return;
  const rule = 'upper-case letters, digits and underscores only';
  throw new NotifyError('bad-request', `${JSON.stringify(name)} is no name of a custom variable: ${rule}`);
}

/** `$5` is a price; what begins with a letter was meant as a variable. */
function checkKnown(template: string, isKnown: IsKnown, subject: string): void {
  const names = unknownNames(template, isKnown).filter((name) => /^[A-Z_]/.test(name));
  if (names.length === 0) return;
  const list = names.map((name) => `$${name}`).join(', ');
  throw new NotifyError(
    'variable-unknown',
    `${subject} uses ${list}, defined nowhere: define it in \`notify.variables\`, or correct its name`,
  );
}

function checkUrl(template: string, isKnown: IsKnown, subject: string): void {
  checkKnown(template, isKnown, `The URL of ${subject}`);
  const pieces = splitTemplate(template, isKnown);
  const [first] = pieces;
  if (first !== undefined && 'variable' in first) return;
  const filled = pieces.map((piece) => ('text' in piece ? piece.text : '0')).join('');
  if (!/^https?:\/\/[^\s/]/i.test(template) || URL.parse(filled) === null) {
    throw new NotifyError(
      'url-invalid',
      `The URL of ${subject} has to be one that begins with http://, https:// or a variable`,
    );
  }
}

/** Any value in place of an unquoted variable gives JSON when one does. */
function checkPayload(template: string, encodeAs: 'json' | 'form', isKnown: IsKnown, subject: string): void {
  checkKnown(template, isKnown, `The payload of ${subject}`);
  const pieces = markQuoted(splitTemplate(template, isKnown));
  const filled = pieces.map((piece) => ('text' in piece ? piece.text : piece.quoted ? '' : '"0"')).join('');
  let payload: unknown;
  try {
    payload = JSON.parse(filled);
  } catch {
    throw new NotifyError(
      'template-invalid',
      `The payload of ${subject} is not JSON once its variables are filled in: correct its \`payload\``,
    );
  }
  if (encodeAs === 'form' && (typeof payload !== 'object' || payload === null || Array.isArray(payload))) {
    throw new NotifyError(
      'template-invalid',
      `The payload of ${subject} has to be a JSON object to be sent as a form`,
    );
  }
}
