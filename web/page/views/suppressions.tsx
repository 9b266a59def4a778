import type { Suppression } from '../../../src/model/api/lockhound-api.generated.ts';
import { call } from '../api/call.ts';
import { may } from '../api/session.ts';
import { useLoaded } from '../api/use-loaded.ts';
import { Action } from '../parts/action.tsx';
import { ViewHead } from '../parts/card.tsx';
import { formatNumber } from '../parts/format.ts';
import { Nothing, Shown } from '../parts/notice.tsx';
import { Table } from '../parts/table.tsx';
import { Time } from '../parts/time.tsx';

/** Suppressions for the whole fleet, and what each suppresses. */
export function SuppressionsView() {
  const loaded = useLoaded('suppressions', (signal) => call('lockhound.suppressions.list', {}, { signal }));
  return (
    <>
      <ViewHead
        title="Suppressions"
        note="Findings that do not alert. Those of targets are in their own .lockhound.yaml. A finding is suppressed on its view."
      />
      <Shown loaded={loaded}>
        {({ suppressions }) =>
          suppressions.length === 0 ? (
            <Nothing>Nothing is suppressed for the whole fleet.</Nothing>
          ) : (
            <Table
              label="Suppressions"
              columns={[
                'What',
                'Reason',
                'Author',
                'Expires',
                { name: 'Findings', isNumber: true },
                'Actions',
              ]}
            >
              {suppressions.map((one) => (
                <Row key={one.id} one={one} onChange={loaded.reload} />
              ))}
            </Table>
          )
        }
      </Shown>
    </>
  );
}

interface RowProps {
  readonly one: Suppression;
  readonly onChange: () => void;
}

function Row({ one, onChange }: RowProps) {
  const remove = async (): Promise<string> => {
    await call('lockhound.suppressions.remove', { suppression: one.id });
    onChange();
    return 'Removed. Its findings open again within about a minute.';
  };
  const isRemovable = one.source === 'command' && may('lockhound.suppressions.remove', { isFleetWide: true });
  return (
    <tr>
      <td data-label="What">
        {whatOf(one).map((text) => (
          <div key={text}>{text}</div>
        ))}
      </td>
      <td data-label="Reason">{one.reason}</td>
      <td data-label="Author">{one.author ?? one.source}</td>
      <td data-label="Expires">
        {one.expires === undefined ? <span class="faint">never</span> : <Time at={one.expires} />}
        {one.expired === true ? <span class="mark warn">expired</span> : null}
      </td>
      <td data-label="Findings" class="number">
        {formatNumber(one.findings ?? 0)}
      </td>
      <td data-label="Actions">
        {isRemovable ? (
          <Action name="Remove" label={`Remove ${one.id}`} onDo={remove} />
        ) : (
          <span class="faint">{one.source}</span>
        )}
      </td>
    </tr>
  );
}

/** What a suppression is about, a line for each condition. */
function whatOf({
  package: locked,
  advisories = [],
  rule,
  target,
  path,
  labels = {},
}: Suppression): readonly string[] {
  const name = typeof locked?.['name'] === 'string' ? locked['name'] : undefined;
  const versions = typeof locked?.['versions'] === 'string' ? ` ${locked['versions']}` : '';
  return [
    ...advisories,
    ...(name === undefined ? [] : [`package ${name}${versions}`]),
    ...(rule === undefined ? [] : [`rule ${rule}`]),
    ...(target === undefined ? [] : [`target ${target}`]),
    ...(path === undefined ? [] : [`path ${path}`]),
    ...Object.entries(labels).map(([label, value]) => `label ${label}=${value}`),
  ];
}
