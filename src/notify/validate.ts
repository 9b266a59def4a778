import { DEFAULT_PAYLOAD } from './default-payload.ts';
import type { DesiredWebhook } from './definition.ts';
import { NotifyError } from './errors.ts';
import { genericPreset } from './presets/generic.ts';
import { checkName } from './render-headers.ts';
import { markQuoted, splitTemplate, unknownNames } from './template.ts';
import { knownNames } from './variables.ts';

/**
 * Finds what cannot work before anything is sent. Throws `NotifyError`: `bad-request` (names), `url-invalid`,
 * `header-invalid`, `template-invalid`, `variable-unknown` (where an unknown variable would break the URL or the JSON).
 */
export function validateDesired({ webhook, variables }: DesiredWebhook): void {
  const isKnown = knownNames(variables);
  const subject = `webhook ${webhook.name}`;
  if (webhook.name === '' || /\s/.test(webhook.name)) {
    throw new NotifyError(
      'bad-request',
      `${JSON.stringify(webhook.name)} is no webhook name: it may not have spaces`,
    );
  }
  for (const name of Object.keys(variables)) {
    if (!/^[A-Z0-9_]+$/.test(name)) {
      const rule = 'upper-case letters, digits and underscores only';
      throw new NotifyError(
        'bad-request',
        `${JSON.stringify(name)} is no name of a custom variable: ${rule}`,
      );
    }
  }
  checkUrl(webhook.url, isKnown, subject);
  for (const [name, value] of Object.entries(webhook.headers ?? {})) {
    checkName(name, subject);
    if (/[\0\r\n]/.test(value)) {
      throw new NotifyError('header-invalid', `The header ${name} of ${subject} holds a line break`);
    }
  }
  const payload =
    webhook.payload === undefined ? genericPreset.payload : (webhook.payload ?? DEFAULT_PAYLOAD);
  checkPayload(payload, isKnown, subject);
}

function checkUrl(template: string, isKnown: (name: string) => boolean, subject: string): void {
  const [first] = splitTemplate(template, isKnown);
  if (first !== undefined && 'variable' in first) return;
  if (template.startsWith('$')) {
    const [name = ''] = unknownNames(template, isKnown);
    throw new NotifyError(
      'variable-unknown',
      `The URL of ${subject} begins with $${name}, which is defined nowhere`,
    );
  }
  if (!/^https?:\/\/[^\s/]/i.test(template)) {
    throw new NotifyError(
      'url-invalid',
      `The URL of ${subject} has to begin with http://, https:// or a variable`,
    );
  }
}

/** Any value in place of an unquoted variable gives JSON when one does. */
function checkPayload(template: string, isKnown: (name: string) => boolean, subject: string): void {
  const pieces = markQuoted(splitTemplate(template, isKnown));
  const filled = pieces.map((piece) => ('text' in piece ? piece.text : piece.quoted ? '' : '"0"')).join('');
  try {
    JSON.parse(filled);
  } catch {
    const loose = pieces.flatMap((piece) =>
      !piece.quoted && 'text' in piece ? unquotedNames(piece.text, isKnown) : [],
    );
    if (loose.length > 0) {
      const names = loose.map((name) => `$${name}`).join(', ');
      throw new NotifyError('variable-unknown', `The payload of ${subject} uses ${names}, defined nowhere`);
    }
    throw new NotifyError(
      'template-invalid',
      `The payload of ${subject} is not JSON: correct \`notify.webhook.payload\``,
    );
  }
}

function unquotedNames(text: string, isKnown: (name: string) => boolean): readonly string[] {
  return unknownNames(text.replace(/"(?:[^"\\]|\\.)*"/g, ''), isKnown);
}
