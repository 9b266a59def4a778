import { describe, expect, it } from 'vitest';
import { filtersIn, otherFilters } from '../../../web/page/api/filters.ts';

const of = (query: string) => filtersIn('lockhound.findings.list', new URLSearchParams(query));

describe('the filters in the address of a view', () => {
  it('are all parameters of the method, by their types', () => {
    expect(of('rule=a&rule=b&severity=high&direct=true&withoutGroups=dev&since=7d&label=team=web')).toEqual({
      rule: ['a', 'b'],
      severity: 'high',
      direct: true,
      withoutGroups: ['dev'],
      since: '7d',
      label: ['team=web'],
    });
  });

  it('are ignored where they are not valid, empty, or parts of the list', () => {
    expect(of('severity=worst&direct=yes&label=team&search=&skip=7&pageToken=x&other=1')).toEqual({});
  });

  it('without a field of their own have one by their kind', () => {
    const { flags, texts } = otherFilters('lockhound.findings.list', ['search', 'rule']);
    expect(flags).toEqual(expect.arrayContaining(['direct', 'fixable', 'notes']));
    expect(texts).toEqual(expect.arrayContaining(['advisory', 'since']));
    expect([...flags, ...texts]).not.toContain('rule');
  });
});
