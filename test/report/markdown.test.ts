import { describe, expect, it } from 'vitest';
import type { Finding } from '../../src/model/scan/finding.ts';
import { renderMarkdown } from '../../src/report/markdown.ts';
import { markdownSentence } from '../../src/report/markdown-text.ts';
import { finding, report } from './scan-report.ts';

describe('a scan as Markdown', () => {
  it('says the verdict in its first line, and lists findings with their way and advisory', () => {
    const text = renderMarkdown(report([finding]));
    expect(text.split('\n')[0]).toBe('### 1 finding: 1 high');
    expect(text).toContain('[GHSA-x](https://osv.dev/x)');
    expect(text).toContain('<code>right&#64;2.0.0</code> › <code>left&#64;1.0.0</code>');
    expect(text).toContain('**Incomplete**');
    expect(text).toContain('<summary>1 gap: what could not be found out</summary>');
    expect(renderMarkdown(report([]))).toMatch(/^### ⚠️ No findings, but the scan is incomplete\n/);
  });

  it('folds all but the worst findings, and notes', () => {
    const note: Finding = { ...finding, level: 'note', title: 'a note' };
    const text = renderMarkdown(report([...Array.from({ length: 25 }, () => finding), note]));
    const [shown = '', ...folded] = text.split('<details>');
    expect(shown.match(/GHSA-x/g)).toHaveLength(20 * 1);
    expect(folded[0]).toContain('<summary>5 more findings</summary>');
    expect(folded[1]).toContain('<summary>1 note</summary>');
  });

  it('never exceeds what a comment may have, and counts what does not fit', () => {
    const long: Finding = { ...finding, title: 'x'.repeat(500) };
    const text = renderMarkdown(report(Array.from({ length: 2_000 }, () => long)));
    expect(text.length).toBeLessThanOrEqual(65_000);
    expect(text).toMatch(/… and \d+ more\./);
    expect(text).toContain('</details>');
    expect(text).not.toContain('No room for');
    const crowded = [...Array.from({ length: 2_000 }, () => long), { ...finding, level: 'note' as const }];
    expect(renderMarkdown(report(crowded))).toMatch(/^No room for: .*1 gap: what could not be found out\.$/m);
  });

  it('shows hostile texts as they are', () => {
    const hostile: Finding = {
      ...finding,
      title: '<img src=x onerror=alert(1)> | [a](javascript:alert(1)) @everyone `',
      package: { ...finding.package, name: '</code><script>|@team' },
      advisory: { id: 'GHSA-x', aliases: [], title: '', url: 'javascript:alert(1)' },
    };
    const text = renderMarkdown(report([hostile]));
    expect(text).not.toMatch(/<img|<script|(?<!\\)\]\(javascript|@everyone|@team/);
    const row = text.split('\n').find((line) => line.startsWith('| high'));
    expect(row?.match(/(?<!\\)\|/g)).toHaveLength(5);
  });
});

describe('a sentence with commands', () => {
  it.each([
    ['Upgrade a: `npm install a@1`.', 'Upgrade a: <code>npm install a&#64;1</code>.'],
    ['`a` and `b|c`', '<code>a</code> and <code>b&#124;c</code>'],
    ['one ` alone, and <b>', 'one \\` alone, and &lt;b&gt;'],
    ['`</code>` <!--', '<code>&lt;/code&gt;</code> &lt;\\!--'],
  ])('%s', (text, expected) => {
    expect(markdownSentence(text)).toBe(expected);
  });
});
