import { createHash } from 'node:crypto';
import { packageVersion } from '../../files/package-file.ts';
import type { ScanReport } from '../../model/scan/verdict.ts';
import { SCRIPT, STYLE } from './assets.generated.ts';
import { findingsSection } from './findings.ts';
import { gapsSection } from './gaps.ts';
import { html, type Markup, trusted } from './markup.ts';
import { packagesSection } from './packages.ts';
import { planSection } from './plan.ts';
import { summarySection } from './summary.ts';

/**
 * The scan as one HTML file that needs no network and no server: summary, findings with all ways to each package, upgrade plan, packages by
 * licence and age, and gaps. Everything is readable without the script, which searches, filters and sorts. The policy of the
 * document allows that script and that style sheet by their hashes, and nothing else. The same report gives the same bytes.
 */
export function* renderHtml(report: ScanReport): Generator<string> {
  yield head(report.verdict.target.id).markup;
  yield summarySection(report).markup;
  yield findingsSection(report).markup;
  yield planSection(report).markup;
  yield gapsSection(report).markup;
  yield packagesSection(report).markup;
  yield html`</main>
<footer><p>Lockhound ${packageVersion()}</p></footer>
<script>${trusted(SCRIPT)}</script>
</body>
</html>
`.markup;
}

function head(target: string): Markup {
  const policy = [
    "default-src 'none'",
    `script-src '${hashOf(SCRIPT)}'`,
    `style-src '${hashOf(STYLE)}'`,
    "base-uri 'none'",
    "form-action 'none'",
  ].join('; ');
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<meta name="referrer" content="no-referrer">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${target} · Lockhound</title>
<style>${trusted(STYLE)}</style>
</head>
<body>
`;
}

function hashOf(text: string): string {
  return `sha256-${createHash('sha256').update(text).digest('base64')}`;
}
