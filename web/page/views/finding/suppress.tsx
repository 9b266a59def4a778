import { useState } from 'preact/hooks';
import type { FleetFinding, NewSuppression } from '../../../../src/model/api/lockhound-api.generated.ts';
import { call } from '../../api/call.ts';
import { session } from '../../api/session.ts';
import { say } from '../../parts/action.tsx';
import { Choice } from '../../parts/choice.tsx';
import { Dialog } from '../../parts/dialog.tsx';

interface SuppressProps {
  readonly one: FleetFinding;
  readonly onDone: () => void;
}

const EXPIRIES = [
  ['7d', 'in 7 days'],
  ['30d', 'in 30 days'],
  ['90d', 'in 90 days'],
  ['365d', 'in a year'],
  ['', 'never'],
] as const;

/** Suppresses a finding with a reason and an expiry, for its target or for all. */
export function SuppressButton({ one, onDone }: SuppressProps) {
  const [isOpen, setOpen] = useState(false);
  const { finding, target } = one;
  const seesAll = session.value?.targets.includes('*') === true;
  const suppress = async (values: FormData): Promise<void> => {
    await call('lockhound.suppressions.add', {}, { body: suppressionOf(one, values) });
    say('Suppressed. Workers apply it within about a minute.');
    onDone();
  };
  return (
    <>
      <button type="button" onClick={() => setOpen(true)}>
        Suppress
      </button>
      {isOpen ? (
        <Dialog title="Suppress this finding" does="Suppress" onDo={suppress} onClose={() => setOpen(false)}>
          <p class="faint">
            {finding.advisory?.id ?? finding.rule} in {finding.package.name} {finding.package.version}. It
            stays in every report, and alerts no more.
          </p>
          <label>
            Reason
            <textarea name="reason" required maxLength={1_000} rows={3} />
          </label>
          <Choice name="expires" label="Opens again" value="90d" options={EXPIRIES} />
          <Choice
            name="scope"
            label="For"
            value="target"
            options={[['target', scopeName(target)], ...(seesAll ? [['all', 'all targets'] as const] : [])]}
          />
          <Choice
            name="versions"
            label="Versions"
            value="one"
            options={[
              ['one', `only ${finding.package.version}`],
              ['all', 'all versions of the package'],
            ]}
          />
        </Dialog>
      ) : null}
    </>
  );
}

/** `*` matches any text, so that an id with one stands for others, too. */
function scopeName(target: string): string {
  return target.includes('*') ? `all targets that fit ${target}` : `only ${target}`;
}

function suppressionOf({ finding, target }: FleetFinding, values: FormData): NewSuppression {
  const expires = String(values.get('expires') ?? '');
  const { purl } = finding.package;
  // Qualifiers name a file of the package, which a suppression is not about.
  const [identity = purl] = purl.split('?', 1);
  const [name = identity] = identity.split('@', 1);
  return {
    reason: String(values.get('reason') ?? '').trim(),
    package: values.get('versions') === 'all' ? name : identity,
    rule: finding.rule,
    ...(finding.advisory === undefined ? {} : { advisory: [finding.advisory.id] }),
    ...(values.get('scope') === 'all' ? {} : { target }),
    ...(expires === '' ? {} : { expires }),
  };
}
