import type { Format } from '../format.ts';
import { draftLockedPackage } from '../packages/lockfile-builder.ts';
import { attributeOf, childrenOf, readXml } from '../syntax/xml-document.ts';

/** The list of all installed packages, direct or not, that NuGet wrote before package references. */
export const nugetPackagesConfig: Format = {
  name: 'nuget-packages-config',
  title: 'NuGet packages.config',
  ecosystem: 'nuget',
  fileNames: ['packages.config'],
  facts: { edges: false, groups: true, integrity: false, lines: true },
  recognises: (head) => /<packages[\s>]/.test(head) && /<package\s[^<>]*\bid\s*=/.test(head),
  read({ path, text }, builder) {
    const root = readXml(text, path, { expected: 'a packages.config', root: 'packages' });
    for (const element of childrenOf(root, 'package')) {
      const { line } = element;
      const [name = '', version = ''] = ['id', 'version'].map((key) => attributeOf(element, key));
      const isDevelopment = attributeOf(element, 'developmentDependency')?.toLowerCase() === 'true';
      const groups = isDevelopment ? ['dev'] : [];
      if (name === '') builder.problem(line, 'a package has no `id`');
      else builder.add(draftLockedPackage({ ecosystem: 'nuget', name, version, groups, line }), line, name);
    }
  },
};
