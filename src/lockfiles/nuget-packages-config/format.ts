import { LockfileError } from '../errors.ts';
import type { Format } from '../format.ts';
import { PackageCollector, type PackageDraft } from '../packages/package-collector.ts';
import { draftPackage } from '../packages/package-draft.ts';
import { ProblemList } from '../packages/problem-list.ts';
import { attributeOf, childrenOf, readXml, type XmlElement } from '../syntax/xml-document.ts';

const NAME = 'nuget-packages-config';

/** What NuGet wrote before package references: every installed package, direct or not. */
export const nugetPackagesConfig: Format = {
  name: NAME,
  title: 'NuGet packages.config',
  ecosystem: 'nuget',
  fileNames: ['packages.config'],
  facts: { edges: false, groups: true, integrity: false, lines: true },
  recognises: (head) => /<packages[\s>]/.test(head) && /<package\s[^>]*\bid\s*=/.test(head),
  read({ path, text }) {
    const root = readXml(text, path, { expected: 'a packages.config' });
    if (root.name !== 'packages') {
      throw new LockfileError('wrong-format', `${path}:${root.line}: the XML is no <packages>`);
    }
    const collector = new PackageCollector();
    const problems = new ProblemList();
    for (const element of childrenOf(root, 'package')) {
      const draft = readPackage(element);
      if (typeof draft === 'string') problems.add(element.line, draft);
      else collector.add(draft);
    }
    return { format: NAME, packages: collector.packages(), problems: problems.all() };
  },
};

function readPackage(element: XmlElement): PackageDraft | string {
  const name = attributeOf(element, 'id');
  const version = attributeOf(element, 'version');
  if (name === undefined) return 'a package has no `id`';
  if (version === undefined) return `${JSON.stringify(name)} has no version`;
  const isDevelopment = attributeOf(element, 'developmentDependency')?.toLowerCase() === 'true';
  const draft = draftPackage({
    ecosystem: 'nuget',
    name,
    version,
    groups: isDevelopment ? ['dev'] : [],
    line: element.line,
  });
  return typeof draft === 'string' ? `${JSON.stringify(name)} ${draft}` : draft;
}
