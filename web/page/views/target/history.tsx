import type { LedgerScan, MovedPackage } from '../../../../src/model/api/lockhound-api.generated.ts';
import { call, urlOf } from '../../api/call.ts';
import { METHODS } from '../../api/methods.generated.ts';
import { Card } from '../../parts/card.tsx';
import { counted } from '../../parts/format.ts';
import { Fault, Nothing, Shown } from '../../parts/notice.tsx';
import { SeverityBadge } from '../../parts/severity.tsx';
import { Time } from '../../parts/time.tsx';
import { useList } from '../../parts/use-list.ts';
import { findingsAddress } from '../findings/filters.ts';

/** Packages that are listed at first. */
const SHOWN = 200;

/** The packages of a target over time: what each scan changed, the newest first. */
export function History({ target }: { readonly target: string }) {
  const list = useList(`packages over time ${target}`, async (page, signal) => {
    const params = { target, ...page };
    const { scans, ...others } = await call('lockhound.targets.history', params, { signal });
    return { items: scans, ...others };
  });
  const dossier = `/api/v1/${urlOf(METHODS['lockhound.dossiers.get'].path, { subject: target })}`;
  return (
    <Card
      title="Packages over time"
      aside={
        <a href={dossier} download="dossier.json">
          Dossier (JSON)
        </a>
      }
    >
      <Shown loaded={list}>
        {({ items, notKnown = 0 }) => (
          <>
            {notKnown === 0 ? null : <Fault text={`${counted(notKnown, 'part')} of it cannot be read.`} />}
            {items.length + notKnown === 0 ? <Nothing>No scan is recorded yet.</Nothing> : null}
            <ol class="timeline">
              {items.map((scan) => (
                <li key={scan.scan}>
                  <details>
                    <summary>
                      <Time at={scan.at} /> {movesOf(scan)}
                    </summary>
                    <LedgerChanges target={target} scan={scan} />
                  </details>
                </li>
              ))}
            </ol>
          </>
        )}
      </Shown>
      {list.more === undefined ? null : (
        <button type="button" class="more" onClick={list.more}>
          Show more
        </button>
      )}
    </Card>
  );
}

function movesOf({ came, went, alerts, delivered, start }: LedgerScan): string {
  const parts = [
    start === true ? 'first known scan' : '',
    came.length === 0 ? '' : `${came.length} came`,
    went.length === 0 ? '' : `${went.length} went`,
    alerts.length === 0 ? '' : counted(alerts.length, 'alert'),
    delivered.length === 0 ? '' : `accepted by ${delivered.map(({ route }) => route).join(', ')}`,
  ];
  return parts.filter(Boolean).join(', ');
}

/** The alerts that a scan changed, and the packages that came and went. */
export function LedgerChanges({ target, scan }: { readonly target: string; readonly scan: LedgerScan }) {
  const { came, went, alerts, commit, omitted, start } = scan;
  return (
    <div class="stack">
      {commit === undefined ? null : (
        <p class="faint">
          Commit <code>{commit}</code>
        </p>
      )}
      {start === true ? <p class="faint">What the target held before is not known.</p> : null}
      <ul class="rows badged">
        {alerts.map(({ transition, severity, purl, advisory, rule }) => (
          <li key={`${transition} ${purl} ${advisory ?? rule}`}>
            <SeverityBadge severity={severity} />
            <span>
              <span class={`transition ${transition}`}>{transition}</span>
              <a href={findingsAddress({ target, package: purl, rule: [rule], state: 'all' })}>
                {advisory ?? rule}
              </a>{' '}
              <code>{purl}</code>
            </span>
          </li>
        ))}
      </ul>
      <Moved title="came" packages={came} />
      <Moved title="went" packages={went} />
      {came.length + went.length + alerts.length === 0 ? <Nothing>It changed nothing.</Nothing> : null}
      {omitted === undefined ? null : (
        <p class="faint">{counted(omitted, 'further entry', 'further entries')}.</p>
      )}
    </div>
  );
}

function Moved({ title, packages }: { readonly title: string; readonly packages: readonly MovedPackage[] }) {
  if (packages.length === 0) return null;
  return (
    <details open={packages.length <= 20}>
      <summary>
        {counted(packages.length, 'package')} {title}
      </summary>
      <ul class="paths">
        {packages.slice(0, SHOWN).map(({ lockfile, purl, name, version, direct, through }) => (
          <li key={`${lockfile} ${purl}`}>
            {name} {version} <code>{lockfile}</code>
            {direct === true ? <span class="mark">direct</span> : null}
            {through === undefined ? null : <span class="faint"> by {through}</span>}
          </li>
        ))}
      </ul>
      {packages.length > SHOWN ? <p class="faint">The first {SHOWN} are listed.</p> : null}
    </details>
  );
}
