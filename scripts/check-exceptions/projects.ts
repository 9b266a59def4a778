import type { ManagerName } from '../check-fixes/tools.ts';

/** A published package whose manifest has overrides, with the manager that reads them. */
export interface ExceptionProject {
  readonly name: string;
  readonly manager: ManagerName;
  readonly spec: string;
}

const BY_MANAGER: Readonly<Partial<Record<ManagerName, readonly string[]>>> = {
  npm: [
    'bullmq@6.7.0',
    'chai@6.3.0',
    'eventsource@3.0.7',
    'ip-address@10.7.6',
    'firebase-tools@15.34.2',
    'snyk@1.1307.4',
    'pm2@7.0.4',
    'npm-check-updates@23.1.1',
    'swagger-ui@5.33.0',
    'heroku@11.10.0',
    '@modelcontextprotocol/sdk@1.32.2',
  ],
  yarn: ['verdaccio@6.10.4', 'lighthouse@13.5.0', '@salesforce/cli@2.150.6', 'use-sidecar@1.1.3'],
  'yarn-modern': ['verdaccio@6.10.4', 'lighthouse@13.5.0', 'corepack@0.34.6', 'react-remove-scroll@2.7.2'],
  pnpm: ['langsmith@0.12.0', 'verdaccio@6.10.4'],
  bun: ['elysia@1.4.30', 'heroku@11.10.0', 'pm2@7.0.4'],
};

export const PUBLISHED: readonly ExceptionProject[] = Object.entries(BY_MANAGER).flatMap(([manager, specs]) =>
  specs.map((spec) => ({ name: `${spec} (${manager})`, manager: manager as ManagerName, spec })),
);
