import { call } from '../../api/call.ts';
import { say } from '../../parts/action.tsx';
import { Dialog } from '../../parts/dialog.tsx';
import { counted } from '../../parts/format.ts';

interface AssignProps {
  /** Ids of issues. */
  readonly issues: readonly string[];
  /** Who works on them until now. */
  readonly to: string | undefined;
  readonly onDone: () => void;
  readonly onClose: () => void;
}

/** Says who works on issues. */
export function AssignDialog({ issues, to = '', onDone, onClose }: AssignProps) {
  return (
    <Dialog
      title={`Assign ${counted(issues.length, 'issue')}`}
      does="Assign"
      onDo={async (values) => {
        const name = String(values.get('to') ?? '').trim();
        await call(
          'lockhound.findings.assign',
          {},
          { body: { issues, ...(name === '' ? {} : { to: name }) } },
        );
        say(name === '' ? 'Assigned to nobody.' : `Assigned to ${name}.`);
        onDone();
      }}
      onClose={onClose}
    >
      <p>Everybody sees who works on it, in all targets. Alerts do not change.</p>
      <label>
        Person or team
        <input name="to" defaultValue={to} maxLength={100} placeholder="Nobody" />
      </label>
    </Dialog>
  );
}
