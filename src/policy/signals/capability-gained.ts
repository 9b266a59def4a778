import { type Detector, listOf } from './detector.ts';

/** With these two, code can fetch something and run it. */
const NETWORK = 'CAPABILITY_NETWORK';
const EXECUTION = 'CAPABILITY_EXEC';
const OTHERS = [
  'CAPABILITY_SYSTEM_CALLS',
  'CAPABILITY_ARBITRARY_EXECUTION',
  'CAPABILITY_CGO',
  'CAPABILITY_UNSAFE_POINTER',
  'CAPABILITY_FILES',
  'CAPABILITY_MODIFY_SYSTEM_STATE',
];

export const capabilityGained: Detector = {
  name: 'capability-gained',
  title: 'A module uses the network, programs or the system for the first time',
  description: 'Go: the version uses the network, other programs or the system, and the one before did not.',
  help: {
    means:
      'Go: the module itself calls what the version before, which is a day older, did not: the ' +
      'network, other programs, system calls, files, cgo or unsafe pointers.',
    sure: 'large modules gain capabilities honestly.',
    todo: 'read the change between the two versions.',
  },
  points: { 'network-and-exec': 3, serious: 2, other: 1 },
  detect({ capabilities, capabilitiesBefore, comparedWith }) {
    if (capabilities === undefined || capabilitiesBefore === undefined) return undefined;
    const before = new Set(capabilitiesBefore.flatMap(({ name, direct }) => (direct > 0 ? name : [])));
    const gained = capabilities.flatMap(({ name, direct }) => (direct > 0 && !before.has(name) ? name : []));
    const serious = gained.filter((name) => name === NETWORK || name === EXECUTION);
    const others = gained.filter((name) => OTHERS.includes(name));
    if (serious.length + others.length === 0) return undefined;
    const names = [...serious, ...others].map((name) => name.replace('CAPABILITY_', '').toLowerCase());
    const grade = serious.length === 2 ? 'network-and-exec' : serious.length === 1 ? 'serious' : 'other';
    return { grade, text: `calls what ${comparedWith ?? 'the version before'} did not: ${listOf(names, 6)}` };
  },
};
