import type * as api from '../../model/api/insights-api.generated.ts';
import type { DeclaredRequirement } from '../../model/signal/release-facts.ts';
import type { Answer } from '../answered.ts';

/** More than any release has. */
const MAX_REQUIREMENTS = 5_000;

/**
 * Reads the requirements of a version of Cargo, Go or PyPI for its installation. `undefined` for an answer with none of them, with too
 * many, or with parts that cannot be read: without one of them, the rest says too little.
 */
export function readDeclared({
  value: { cargo, pypi, go },
  problems,
}: Answer<api.Requirements>): readonly DeclaredRequirement[] | undefined {
  const stated = cargo ? ofCargo(cargo) : pypi ? ofPypi(pypi) : go && ofGo(go);
  const isReadable = problems.length === 0 && (stated?.length ?? 0) <= MAX_REQUIREMENTS;
  return isReadable && stated?.every(({ name }) => name !== '') ? stated : undefined;
}

/** Requirements of development are those of the crate itself. */
function ofCargo({ dependencies = [] }: api.CargoRequirements): readonly DeclaredRequirement[] {
  return dependencies.flatMap(({ name = '', requirement = '', kind = '', optional = false }) =>
    kind.toLowerCase() === 'dev' ? [] : { name, requirement, isConditional: optional },
  );
}

function ofPypi({ dependencies = [] }: api.PyPIRequirements): readonly DeclaredRequirement[] {
  return dependencies.map(({ projectName = '', versionSpecifier = '', environmentMarker = '' }) => ({
    name: projectName,
    requirement: versionSpecifier,
    isConditional: environmentMarker !== '',
  }));
}

/** Since Go 1.17, a module states all modules that its packages need. */
function ofGo({
  directDependencies = [],
  indirectDependencies = [],
}: api.GoRequirements): readonly DeclaredRequirement[] {
  return [...directDependencies, ...indirectDependencies].map(({ name = '', requirement = '' }) => ({
    name,
    requirement,
    isConditional: false,
  }));
}
