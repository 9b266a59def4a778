import { describe, expect, it } from 'vitest';
import { filterReport } from '../../../src/commands/scanning/filter-report.ts';
import { finding, report } from '../../report/scan-report.ts';

const inPackage = (name: string, direct?: boolean) => {
  const { direct: _, ...rest } = finding.package;
  return { ...finding, package: { ...rest, name, ...(direct === undefined ? {} : { direct }) } };
};

describe('filterReport', () => {
  it('keeps findings in packages of which it is not known whether they are direct', () => {
    const all = report([inPackage('direct', true), inPackage('unknown'), inPackage('indirect', false)]);
    const { verdict, leftOut } = filterReport(all, { direct: true });
    expect(verdict.findings.map((one) => one.package.name)).toEqual(['direct', 'unknown']);
    expect(leftOut).toBe(1);
  });
});
