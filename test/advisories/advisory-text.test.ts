import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { readAdvisoryText } from '../../src/advisories/advisory-text.ts';
import { advisoriesPath, openAdvisories, updateAdvisories } from '../../src/advisories/database.ts';
import { importOsv } from '../../src/advisories/import-osv.ts';
import { importedText } from '../../src/compose/advisory-text.ts';
import { loadConfig } from '../../src/config/load.ts';

const affected = [{ package: { ecosystem: 'npm', name: 'left' }, versions: ['1.0.0'] }];
const whole = {
  id: 'GHSA-1',
  aliases: ['CVE-1'],
  modified: '2026-05-01T00:00:00Z',
  published: '2026-04-01T00:00:00Z',
  summary: 'Left is wrong',
  details: '# What\n\nAll of it.\n',
  references: [
    { type: 'WEB', url: 'https://a.example/1' },
    { type: 'WEB', url: 'https://a.example/1' },
    { type: 'FIX', url: 'javascript:alert(1)' },
    { type: 'FIX', url: 7 },
    null,
  ],
  database_specific: { cwe_ids: ['CWE-79', 'CWE-<script>', 7] },
  affected,
};

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'lockhound-texts-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

async function importRecords(...records: readonly object[]): Promise<void> {
  const from = join(folder, 'records.json');
  for (const record of records) {
    writeFileSync(from, JSON.stringify(record));
    await importOsv({ path: advisoriesPath(folder), from, signal: new AbortController().signal });
  }
}

const textOf = (...names: readonly string[]) =>
  importedText(loadConfig({ environment: { LOCKHOUND_DATA_FOLDER: folder } }), names);

describe('the text of an advisory', () => {
  it('is read as far as it is well-formed', () => {
    expect(readAdvisoryText(whole)).toEqual({
      text: '# What\n\nAll of it.',
      weaknesses: ['CWE-79'],
      references: ['https://a.example/1'],
    });
    for (const odd of [7, null, {}, { details: 7, references: 'x', database_specific: [] }, { details: ' ' }])
      expect(readAdvisoryText(odd)).toBeUndefined();
  });

  it('is bounded', () => {
    const read = readAdvisoryText({
      details: 'x'.repeat(1_000_000),
      references: Array.from({ length: 10_000 }, (_, at) => ({ url: `https://a.example/${at}` })),
      database_specific: { cwe_ids: Array.from({ length: 10_000 }, (_, at) => `CWE-${at}`) },
    });
    expect(read?.text).toHaveLength(4_000);
    expect([read?.weaknesses?.length, read?.references?.length]).toEqual([10, 20]);
    expect(
      readAdvisoryText({ references: [{ url: `https://a.example/${'x'.repeat(1_000)}` }] }),
    ).toBeUndefined();
  });

  it('is imported, found by every name, and not known without an import', async () => {
    expect(await textOf('GHSA-1')).toEqual({});
    await importRecords(whole);
    const { modified, published } = whole;
    const expected = { ...readAdvisoryText(whole), modified, published };
    expect(await textOf('GHSA-1')).toEqual(expected);
    expect(await textOf('CVE-1', 'GHSA-1')).toEqual(expected);
    expect(await textOf('CVE-2')).toEqual({});
    // A worker that judges does not read it.
    const advisories = await openAdvisories(advisoriesPath(folder));
    expect(JSON.stringify(advisories.find('GHSA-1'))).not.toContain('All of it');
    advisories.close();
    writeFileSync(advisoriesPath(folder), 'damaged');
    expect(await textOf('GHSA-1')).toEqual({});
  });

  it('goes when a newer record has none, and stays when the same record comes without it', async () => {
    await importRecords(whole);
    const update = await updateAdvisories(advisoriesPath(folder));
    const { id, aliases, modified } = whole;
    update.put({ id, aliases, modified, title: 'Left is wrong', affected: [] });
    update.complete();
    expect(await textOf('GHSA-1')).toMatchObject({ text: expect.stringContaining('All') });
    await importRecords({
      ...whole,
      modified: '2026-05-02T00:00:00Z',
      details: '',
      references: [],
      database_specific: {},
    });
    expect(await textOf('GHSA-1')).toEqual({ modified: '2026-05-02T00:00:00Z', published: whole.published });
  });

  it('comes with the next import into a file of an earlier release', async () => {
    await importRecords({ ...whole, details: undefined, references: [], database_specific: {} });
    const file = new DatabaseSync(advisoriesPath(folder));
    file.exec('DROP TABLE texts');
    file.close();
    expect(await textOf('GHSA-1')).toEqual({ modified: whole.modified, published: whole.published });
    await importRecords(whole);
    expect((await textOf('GHSA-1')).weaknesses).toEqual(['CWE-79']);
  });
});
