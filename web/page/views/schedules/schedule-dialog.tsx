import { useId, useState } from 'preact/hooks';
import type { Schedule } from '../../../../src/model/api/lockhound-api.generated.ts';
import { call } from '../../api/call.ts';
import { say } from '../../parts/action.tsx';
import { Choice } from '../../parts/choice.tsx';
import { Dialog } from '../../parts/dialog.tsx';
import { type Fields, fieldsOf, KINDS, type Kind, writtenSchedule } from './written-schedule.ts';

interface ScheduleDialogProps {
  /** The schedule that is changed. None: one is added. */
  readonly before?: Schedule;
  readonly onDone: () => void;
  readonly onClose: () => void;
}

const NEW: Fields = { kind: 'git', every: '6h', targets: 'match' };

/** Adds a schedule, or changes one that is not part of the configuration. */
export function ScheduleDialog({ before, onDone, onClose }: ScheduleDialogProps) {
  const fields = before === undefined ? NEW : fieldsOf(before);
  const [kind, setKind] = useState(fields['kind'] as Kind);
  const save = async (values: FormData): Promise<void> => {
    const written = Object.fromEntries(Array.from(values, ([name, value]) => [name, String(value)]));
    const replace = before === undefined ? {} : { replace: true };
    const { name } = await call('lockhound.schedules.add', replace, {
      body: writtenSchedule({ ...(before === undefined ? {} : { name: before.name }), ...written }, before),
    });
    say(`Schedule ${name} is saved.`);
    onDone();
  };
  const isNew = before === undefined;
  return (
    <Dialog
      title={isNew ? 'Add a schedule' : `Change ${before.name}`}
      does={isNew ? 'Add' : 'Save'}
      onDo={save}
      onClose={onClose}
    >
      {isNew ? <Field name="name" label="Name" fields={fields} isRequired /> : null}
      <div
        onInput={({ target }) => {
          if (target instanceof HTMLSelectElement) setKind(target.value as Kind);
        }}
      >
        <Choice
          name="kind"
          label="Source"
          value={kind}
          options={Object.entries(KINDS).map(([one, { name }]) => [one, name] as const)}
        />
      </div>
      <Lines
        name="addresses"
        label={kind === 'path' ? 'Absolute paths, one a line' : 'URLs, one a line'}
        fields={fields}
        isRequired
      />
      <div class="fields">
        <SourceFields kind={kind} fields={fields} />
      </div>
      {kind === 'url' ? null : (
        <Lines name="exclude" label="Left out, as in .gitignore, one a line" fields={fields} />
      )}
      <div class="fields">
        <Field name="every" label="Time between runs" fields={fields} hint="6h" help="30m, 6h, 1d" />
        <Field
          name="cron"
          label="Or at fixed times"
          fields={fields}
          hint="0 6 * * *"
          help="A cron expression: 0 6 * * * is 6:00 on every day"
        />
        <Field
          name="timeZone"
          label="Time zone of these"
          fields={fields}
          hint="UTC"
          help="Such as Europe/Berlin"
        />
        <Field
          name="jitter"
          label="Random delay, at most"
          fields={fields}
          hint="30m"
          help="Spreads the load of many schedules"
        />
        <Field
          name="target"
          label="Name of the target"
          fields={fields}
          hint="$PATH"
          help="$PATH stands for the path of the source, so that each has its own"
        />
      </div>
      <Lines name="labels" label="Labels as name=value, one a line" fields={fields} />
    </Dialog>
  );
}

function SourceFields({ kind, fields }: { readonly kind: Kind; readonly fields: Fields }) {
  if (kind === 'path') {
    return (
      <Choice
        name="targets"
        label="Targets"
        value={fields['targets']}
        options={[
          ['match', 'each match is one'],
          ['all', 'all matches are one'],
        ]}
      />
    );
  }
  return (
    <>
      {kind === 'git' ? (
        <Field
          name="ref"
          label="Branch or tag"
          fields={fields}
          hint="HEAD"
          help="Empty: the default branch"
        />
      ) : (
        <>
          <Field name="file" label="File name" fields={fields} hint="package-lock.json" />
          <Field name="format" label="Format" fields={fields} hint="by its name" />
        </>
      )}
      <Field
        name="credentials"
        label="Credentials"
        fields={fields}
        help="Their name in the configuration; no secret is entered here"
      />
    </>
  );
}

interface FieldProps {
  readonly name: string;
  readonly label: string;
  readonly fields: Fields;
  readonly hint?: string;
  /** What to enter, in a sentence. */
  readonly help?: string;
  readonly isRequired?: boolean;
}

function Field({ name, label, fields, hint = '', help, isRequired = false }: FieldProps) {
  const id = useId();
  return (
    <div>
      <label>
        {label}
        <input
          name={name}
          defaultValue={fields[name] ?? ''}
          placeholder={hint}
          required={isRequired}
          {...(help === undefined ? {} : { 'aria-describedby': id })}
        />
      </label>
      {help === undefined ? null : (
        <small id={id} class="faint">
          {help}
        </small>
      )}
    </div>
  );
}

function Lines({ name, label, fields, isRequired = false }: FieldProps) {
  const text = fields[name] ?? '';
  return (
    <label>
      {label}
      <textarea
        name={name}
        rows={Math.min(6, text.split('\n').length + 1)}
        required={isRequired}
        defaultValue={text}
      />
    </label>
  );
}
