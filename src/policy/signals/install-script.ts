import type { Detector } from './detector.ts';

export const installScript: Detector = {
  name: 'install-script',
  title: 'A version runs a script at installation for the first time',
  description:
    'The version runs a script when it is installed, and versions that were locked before did not.',
  help: {
    means:
      'by the lockfile, the version runs a script when it is installed, and versions of the package ' +
      'that were locked before in any target did not. `package-lock.json` (lockfileVersion 2 and 3) ' +
      'and `pnpm-lock.yaml` before version 9 state that; other lockfiles say nothing about scripts.',
    sure:
      'weak alone: packages with native code gain such scripts honestly. In many attacks it is how ' +
      'the code is started.',
    todo: 'read the script before you install the version, or install with `--ignore-scripts`.',
  },
  points: { '': 2 },
  detect({ hasNewScript }) {
    if (hasNewScript !== true) return undefined;
    return { text: 'runs a script when it is installed, which versions that were locked before did not' };
  },
};
