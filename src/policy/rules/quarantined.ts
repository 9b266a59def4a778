import type { Rule } from '../rule.ts';

/** The status in which a registry serves no release of a project, because it may be malicious. */
export const QUARANTINED = 'quarantined';

/** Findings of a project: another version of it is not another issue. */
export const quarantined: Rule = {
  name: 'quarantined',
  title: 'The project of a locked version is in quarantine',
  description: 'The registry put the project of the locked version into quarantine (PyPI).',
  help: {
    means:
      'the registry put the whole project into quarantine: it may be malicious, and nothing of it can be ' +
      'installed until people have looked at it.',
    sure:
      'sure about the status: the index states it. It is no proof of malware; the registry ends a quarantine ' +
      'when it finds none. A status that is not known neither opens nor resolves this finding: only another ' +
      'status resolves it.',
    todo: 'do not install or deploy it, also not from a cache or a mirror, and look at what ran it already.',
  },
  readsRecords: true,
  level: 'alert',
  severity: 'high',
  judge({ locked: { name, resolution } }) {
    const { status, reason = '' } = resolution.record?.projectStatus ?? {};
    if (status !== QUARANTINED) return [];
    const because = reason.replace(/\s+/g, ' ').trim();
    return [
      {
        title: `The project ${name} is in quarantine${because === '' ? '' : `: ${because}`}`,
        advice: 'Do not install or deploy it. Replace it, or wait until the registry has looked at it.',
      },
    ];
  },
};
