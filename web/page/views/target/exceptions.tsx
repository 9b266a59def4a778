import { useState } from 'preact/hooks';
import type { Exception } from '../../../../src/model/api/lockhound-api.generated.ts';
import { call } from '../../api/call.ts';
import { useLoaded } from '../../api/use-loaded.ts';
import { ViewHead } from '../../parts/card.tsx';
import { counted } from '../../parts/format.ts';
import { targetAddress } from '../../parts/links.ts';
import { Nothing, Shown, Unnamed } from '../../parts/notice.tsx';
import { Table } from '../../parts/table.tsx';
import { Time } from '../../parts/time.tsx';
import { place } from '../../routing/location.ts';

const VERDICTS = ['removable', 'expired', 'unknown', 'needed'] as const;
const COLUMNS = ['Exception', 'Verdict', 'Evidence', 'Place', 'What for'];
const MAX_ROWS = 500;

/** What overrules the tools of a target, those that can go first. The address names the target. */
export function ExceptionsView() {
  const target = place.value.params.get('target') ?? '';
  const loaded = useLoaded(target === '' ? '' : `exceptions ${target}`, (signal) =>
    call('lockhound.exceptions.list', { target }, { signal }),
  );
  if (target === '') return <Unnamed title="Exceptions">The address names no target.</Unnamed>;
  return (
    <>
      <ViewHead
        title="Exceptions"
        note={
          <>
            What overrules the tools of <a href={targetAddress(target)}>{target}</a>
          </>
        }
      />
      <Shown loaded={loaded}>{({ exceptions }) => <Exceptions all={exceptions} />}</Shown>
    </>
  );
}

function Exceptions({ all }: { readonly all: readonly Exception[] }) {
  const [chosen, choose] = useState<Exception['verdict'] | undefined>(undefined);
  if (all.length === 0) return <Nothing>No file beside its lockfiles overrules a tool.</Nothing>;
  const byVerdict = Map.groupBy(all, ({ verdict }) => verdict);
  const shown =
    chosen === undefined
      ? VERDICTS.flatMap((one) => byVerdict.get(one) ?? [])
      : (byVerdict.get(chosen) ?? []);
  return (
    <>
      <fieldset class="switch verdicts">
        <legend class="hidden">Which exceptions</legend>
        {[undefined, ...VERDICTS].map((one) => (
          <button key={one} type="button" aria-pressed={one === chosen} onClick={() => choose(one)}>
            {one ?? 'all'} {one === undefined ? all.length : (byVerdict.get(one)?.length ?? 0)}
          </button>
        ))}
      </fieldset>
      <p class="faint count" role="status">
        {counted(shown.length, 'exception')}
        {shown.length > MAX_ROWS ? `, of which ${MAX_ROWS} are shown` : ''}
      </p>
      {shown.length === 0 ? null : (
        <Table label="Exceptions" columns={COLUMNS}>
          {shown.slice(0, MAX_ROWS).map(exceptionRow)}
        </Table>
      )}
    </>
  );
}

function exceptionRow(one: Exception) {
  const {
    kind,
    setting,
    subject,
    value,
    verdict,
    evidence,
    path,
    line,
    reason,
    advisory,
    author,
    since,
    removableFrom,
  } = one;
  const ends = verdict === 'removable' || verdict === 'expired';
  return (
    <tr key={JSON.stringify([path, line, kind, setting, subject, value])}>
      <td data-label="Exception">
        <div>
          <code>{value === undefined ? subject : `${subject} → ${value}`}</code>
          <p class="faint">{kind}</p>
        </div>
      </td>
      <td data-label="Verdict">
        <span class={`mark unbroken ${ends ? 'warn' : ''}`}>{verdict}</span>
      </td>
      <td data-label="Evidence">
        {evidence}
        {removableFrom === undefined ? null : (
          <p class="faint">
            removable <Time at={removableFrom} />
          </p>
        )}
      </td>
      <td data-label="Place">
        <code>{line === undefined ? path : `${path}:${line}`}</code>
      </td>
      <td data-label="What for">
        {reason ?? advisory ?? <span class="faint">not known</span>}
        {since === undefined && author === undefined ? null : (
          <p class="faint">
            {author} {since === undefined ? null : <Time at={since} />}
          </p>
        )}
      </td>
    </tr>
  );
}
