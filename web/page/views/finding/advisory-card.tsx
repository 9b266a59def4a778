import type { AdvisoryEvidence } from '../../../../src/model/api/lockhound-api.generated.ts';
import { Card } from '../../parts/card.tsx';
import { webAddress } from '../../parts/links.ts';
import { Time } from '../../parts/time.tsx';

/** Characters of a text that is folded at first. */
const LONG = 1_200;

/** Where names of advisories are published. */
const PUBLISHERS: readonly (readonly [pattern: RegExp, address: string])[] = [
  [/^CVE-\d{4}-\d+$/, 'https://nvd.nist.gov/vuln/detail/'],
  [/^GHSA(?:-[a-z0-9]{4}){3}$/, 'https://github.com/advisories/'],
  [/^(?:GO|RUSTSEC|PYSEC|MAL|OSV)-\d{4}-\d+$/, 'https://osv.dev/vulnerability/'],
];

/** What is known of the advisory. What no source states is said to be not known. */
export function AdvisoryCard({ advisory }: { readonly advisory: AdvisoryEvidence }) {
  const { text, published, modified, withdrawn, weaknesses, references = [] } = advisory;
  const urls = new Set([advisory.url, ...references].flatMap((one) => webAddress(one) ?? []));
  const names = [advisory.id, ...advisory.aliases];
  return (
    <Card title="Advisory">
      <dl class="facts">
        <dt>Says</dt>
        <dd>{advisory.title === '' ? 'not known' : advisory.title}</dd>
        <dt>CVSS</dt>
        <dd>
          {advisory.score ?? 'not known'} <span class="faint">{advisory.vector}</span>
        </dd>
        <dt>Published</dt>
        <dd>{published === undefined ? <Unknown /> : <Time at={published} />}</dd>
        <dt>Changed</dt>
        <dd>{modified === undefined ? <Unknown /> : <Time at={modified} />}</dd>
        {withdrawn === undefined ? null : (
          <>
            <dt>Withdrawn</dt>
            <dd>
              <Time at={withdrawn} />
            </dd>
          </>
        )}
        <dt>Weakness</dt>
        <dd>
          {weaknesses === undefined ? <Unknown /> : weaknesses.map((id) => <Weakness key={id} id={id} />)}
        </dd>
        <dt>References</dt>
        <dd>
          <ul class="plain">
            {[...urls].map((url) => (
              <li key={url}>
                <Outside url={url} text={url} />
              </li>
            ))}
            {names.map((name) => {
              const base = PUBLISHERS.find(([pattern]) => pattern.test(name))?.[1];
              return (
                <li key={name}>{base === undefined ? name : <Outside url={base + name} text={name} />}</li>
              );
            })}
          </ul>
        </dd>
      </dl>
      {text === undefined ? (
        <p class="faint">
          The text is at the references. Imported advisories (<code>lockhound data import osv</code>) have
          texts, dates and weaknesses.
        </p>
      ) : (
        <details open={text.length < LONG}>
          <summary>Text of the publisher</summary>
          <p class="said-text">{text}</p>
        </details>
      )}
    </Card>
  );
}

function Unknown() {
  return <span class="faint">not known</span>;
}

function Weakness({ id }: { readonly id: string }) {
  const number = id.replace('CWE-', '');
  return (
    <>
      <Outside url={`https://cwe.mitre.org/data/definitions/${number}.html`} text={id} />{' '}
    </>
  );
}

function Outside({ url, text }: { readonly url: string; readonly text: string }) {
  return (
    <a href={url} target="_blank" rel="noreferrer">
      {text}
    </a>
  );
}
