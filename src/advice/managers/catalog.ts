import { bunManager, npmManager, pnpmManager, yarnClassic, yarnModern } from './javascript.ts';
import type { Manager, Written } from './manager.ts';
import {
  bundlerManager,
  cargoManager,
  editedFile,
  goManager,
  nugetManager,
  pdmManager,
  pipenvManager,
  poetryManager,
  uvManager,
} from './others.ts';

const MANAGERS: Readonly<Record<string, Manager>> = {
  'npm-package-lock': npmManager,
  'yarn-lock': yarnModern,
  'pnpm-lock': pnpmManager,
  'bun-lock': bunManager,
  'cargo-lock': cargoManager,
  'poetry-lock': poetryManager,
  'uv-lock': uvManager,
  'pipfile-lock': pipenvManager,
  'pdm-lock': pdmManager,
  'gemfile-lock': bundlerManager,
  'go-mod': goManager,
  'go-sum': goManager,
  'nuget-packages-lock': nugetManager,
  'nuget-packages-config': nugetManager,
  'requirements-txt': editedFile('requirements file', ({ name, to }) => `${name}==${to}`, true),
  'maven-pom-xml': editedFile(
    'pom.xml',
    ({ name, to }) => `version ${to} of ${name} in dependencyManagement`,
    true,
  ),
  'gradle-lockfile': editedFile('build script', ({ name, to }) => `constraint "${name}:${to}"`, true),
};

/** For SBOMs and formats that no package manager writes. */
const UNKNOWN: Manager = {
  name: '',
  relocks: 'never',
  nests: false,
  upgradesDependents: true,
  relock: () => [],
  upgrade: () => [],
};

/** The package manager that wrote a lockfile. */
export function managerOf({ format, statement }: Written): Manager {
  return statement.manager === 'yarn-1' ? yarnClassic : (MANAGERS[format] ?? UNKNOWN);
}
