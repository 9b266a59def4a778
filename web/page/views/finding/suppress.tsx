import { useState } from 'preact/hooks';
import type {
  FindingBody,
  FleetFinding,
  NewSuppression,
} from '../../../../src/model/api/lockhound-api.generated.ts';
import { call } from '../../api/call.ts';
import { session } from '../../api/session.ts';
import { say } from '../../parts/action.tsx';
import { Choice } from '../../parts/choice.tsx';
import { Dialog } from '../../parts/dialog.tsx';
import { counted } from '../../parts/format.ts';

const EXPIRIES = [
  ['7d', 'in 7 days'],
  ['30d', 'in 30 days'],
  ['90d', 'in 90 days'],
  ['365d', 'in a year'],
  ['', 'never'],
] as const;

interface SuppressProps {
  readonly one: FleetFinding;
  readonly onDone: () => void;
}

/** Suppresses a finding with a reason and an expiry, for its target or for all. */
export function SuppressButton({ one: { finding, target }, onDone }: SuppressProps) {
  const [isOpen, setOpen] = useState(false);
  const { name, version } = finding.package;
  return (
    <>
      <button type="button" onClick={() => setOpen(true)}>
        Suppress
      </button>
      {isOpen ? (
        <SuppressDialog
          title="Suppress this finding"
          what={`${finding.advisory?.id ?? finding.rule} in ${name} ${version}. It stays in every report, and alerts no more.`}
          subjects={[{ id: '', finding, isOneVersion: true }]}
          target={target}
          onDone={onDone}
          onClose={() => setOpen(false)}
        />
      ) : null}
    </>
  );
}

interface Subject {
  readonly id: string;
  readonly finding: FindingBody;
  /** Whether its version is the only one that it can be about. */
  readonly isOneVersion: boolean;
}

interface SuppressDialogProps {
  readonly title: string;
  readonly what: string;
  readonly subjects: readonly Subject[];
  /** A target for which alone they can be suppressed. */
  readonly target: string | undefined;
  /** Whether all targets are proposed. */
  readonly isForAll?: boolean;
  /** Receives the id of each subject that is suppressed. */
  readonly onDone: (id: string) => void;
  readonly onClose: () => void;
}

/** Asks why and for how long findings are suppressed, and adds a suppression for each. */
export function SuppressDialog(props: SuppressDialogProps) {
  const { title, what, subjects, target, isForAll = false, onDone, onClose } = props;
  const seesAll = session.value?.targets.includes('*') === true;
  const scopes = [
    ...(target === undefined ? [] : [['target', scopeName(target)] as const]),
    ...(seesAll ? [['all', 'all targets'] as const] : []),
  ];
  const version =
    subjects.length === 1 ? `only ${subjects[0]?.finding.package.version}` : 'only these versions';
  const suppress = async (values: FormData): Promise<void> => {
    let done = 0;
    for (const { id, finding } of subjects) {
      try {
        await call('lockhound.suppressions.add', {}, { body: suppressionOf(finding, target, values) });
      } catch (error) {
        const reason = error instanceof Error ? error.message : String(error);
        throw new Error(
          done === 0 ? reason : `${done} of ${counted(subjects.length, 'issue')} are suppressed. ${reason}`,
        );
      }
      done += 1;
      onDone(id);
    }
    say('Suppressed. Workers apply it within about a minute.');
  };
  return (
    <Dialog title={title} does="Suppress" onDo={suppress} onClose={onClose}>
      <p class="faint">{what}</p>
      {scopes.length === 0 ? (
        <p class="notice">You see some targets only. Enter one of them in the filters to suppress for it.</p>
      ) : null}
      <label>
        Reason
        <textarea name="reason" required maxLength={1_000} rows={3} />
      </label>
      <Choice name="expires" label="Opens again" value="90d" options={EXPIRIES} />
      <Choice name="scope" label="For" value={isForAll ? 'all' : 'target'} options={scopes} />
      <Choice
        name="versions"
        label="Versions"
        value={isForAll ? 'all' : 'one'}
        options={[
          ...(subjects.every(({ isOneVersion }) => isOneVersion) ? [['one', version] as const] : []),
          ['all', subjects.length === 1 ? 'all versions of the package' : 'all versions of the packages'],
        ]}
      />
    </Dialog>
  );
}

/** `*` matches any text, so that an id with one stands for others, too. */
function scopeName(target: string): string {
  return target.includes('*') ? `all targets that fit ${target}` : `only ${target}`;
}

function suppressionOf(finding: FindingBody, target: string | undefined, values: FormData): NewSuppression {
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
    ...(values.get('scope') === 'all' || target === undefined ? {} : { target }),
    ...(expires === '' ? {} : { expires }),
  };
}
