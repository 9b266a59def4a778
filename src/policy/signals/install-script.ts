import type { Detector } from './detector.ts';

/** A lockfile states that the version runs a script at installation, and other lockfiles stated that versions before it run none. */
export const installScript: Detector = {
  signal: 'install-script',
  detect({ hasNewScript }) {
    if (hasNewScript !== true) return undefined;
    return { text: 'runs a script when it is installed, which versions that were locked before did not' };
  },
};
