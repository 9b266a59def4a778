import { describe, expect, it } from 'vitest';
import { notificationSchema } from '../../src/model/alert/notification.ts';
import { TRANSITIONS } from '../../src/model/scan/transition.ts';
import { sampleNotifications } from '../../src/notify/alert/sample-notifications.ts';
import { PRESETS } from '../../src/notify/presets/catalog.ts';
import { genericPreset } from '../../src/notify/presets/generic.ts';
import type { DesiredWebhook } from '../../src/notify/webhooks/definition.ts';
import { proveTemplates, validateDesired } from '../../src/notify/webhooks/validate.ts';

const base: DesiredWebhook = {
  route: 'default',
  name: 'hook',
  url: 'https://receiver.example/x',
  headers: {},
  payload: genericPreset.payload,
  encodeAs: 'json',
};

const faultOf = (more: object, variables = {}) => {
  try {
    proveTemplates({ ...base, ...more }, variables);
    return undefined;
  } catch (error) {
    return String(error);
  }
};

describe('the kinds of events', () => {
  it('are notifications, among them each transition in both modes', () => {
    const samples = sampleNotifications();
    for (const { notification } of samples) notificationSchema.parse(notification);
    const names = samples.map(({ event }) => event);
    expect(new Set(names).size).toBe(names.length);
    for (const transition of TRANSITIONS)
      expect(names.filter((name) => name.endsWith(`finding that is ${transition}`))).toHaveLength(2);
  });
});

describe('a template', () => {
  it('is accepted when it renders for every kind of event', () => {
    for (const { payload } of PRESETS) {
      if (payload.includes('_KEY')) continue;
      expect(faultOf({ payload })).toBeUndefined();
    }
    expect(
      faultOf({ payload: '{"text": "$EVENT_MSG", "n": $LEFT_OUT}', url: 'https://a.example/$TARGET' }),
    ).toBeUndefined();
  });

  it('is rejected with the event and the variable that fail', () => {
    // Fails only where the alert has text there.
    const unquoted = faultOf({ payload: '{"a": "$TARGET$TAGS[team]", "b": [$CHANGES_JSON, $LEFT_OUT,]}' });
    expect(unquoted).toMatch(/The payload of webhook hook is not JSON .* \(for a finding that is opened\)/);
    const escaped = faultOf({ payload: '{"a": "\\\\$TARGET"}'.replace('\\\\', '\\') });
    expect(escaped).toMatch(/template-invalid|not JSON/);
    const path = faultOf({ url: 'https://a.example/$ORG_NAME./x' });
    expect(path).toMatch(
      /segment in its path \(for a periodic digest of several targets, because of \$ORG_NAME\)/,
    );
  });

  it('is rejected for what no sample before had: a token with a line break, an unknown variable', () => {
    expect(faultOf({ headers: { 'x-token': '$TOKEN' } }, { TOKEN: { value: 'a\nb' } })).toMatch(
      /contains a line break .* because of \$TOKEN/,
    );
    const unknown = () =>
      validateDesired({ webhooks: [{ ...base, payload: '{"a": "$NOBODY"}' }], variables: {} });
    expect(unknown).toThrow(/uses \$NOBODY, which is not defined/);
  });
});
