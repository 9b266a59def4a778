import { NotifyError } from '../errors.ts';
import { PRESETS } from '../presets/catalog.ts';
import type { Preset } from '../presets/preset.ts';
import type { DesiredWebhook } from './definition.ts';

/** A webhook as it is configured; the preset supplies what is absent. */
export interface WebhookChoice {
  readonly route: string;
  readonly name: string;
  /** Default `generic`. */
  readonly preset?: string | undefined;
  /** The secret variable to use instead of the preset's, for two receivers of the same kind. */
  readonly secretVariable?: string | undefined;
  readonly url?: string | undefined;
  /** Replace those of the preset with the same name. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  readonly payload?: string | null | undefined;
  readonly encodeAs?: 'json' | 'form' | undefined;
}

export function presetNamed(name: string | undefined): Preset {
  const found = PRESETS.find((preset) => preset.name === (name ?? 'generic'));
  if (found === undefined) throw new RangeError(`no preset is named "${name}"`);
  return found;
}

/** The webhook with the preset applied. Throws `NotifyError` (`url-invalid`) when neither has a URL. */
export function webhookOf(choice: WebhookChoice): DesiredWebhook {
  const { route, name, secretVariable, encodeAs } = choice;
  const preset = presetNamed(choice.preset);
  const own = (template: string) =>
    preset.secret === undefined || secretVariable === undefined
      ? template
      : template.replace(
          new RegExp(`\\$${preset.secret.name}(?![A-Z0-9_])`, 'g'),
          () => `$${secretVariable}`,
        );
  const url = choice.url ?? (preset.url === undefined ? undefined : own(preset.url));
  if (url === undefined) {
    throw new NotifyError(
      'url-invalid',
      `The webhook ${name} needs a \`url\`: the preset ${preset.name} does not provide one`,
    );
  }
  const presetHeaders = Object.entries(preset.headers ?? {}).map(([key, value]) => [key, own(value)]);
  const configured = Object.entries(choice.headers ?? {});
  const overridden = new Set(configured.map(([key]) => key.toLowerCase()));
  return {
    route,
    name,
    url,
    headers: Object.fromEntries([
      ...presetHeaders.filter(([key = '']) => !overridden.has(key)),
      ...configured,
    ]),
    payload: choice.payload === undefined ? own(preset.payload) : choice.payload,
    encodeAs: encodeAs ?? preset.encodeAs,
  };
}
