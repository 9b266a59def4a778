import pLimit from 'p-limit';
import type { VersionKey } from '../../model/lockfile/ecosystem.ts';
import type { FindingsSubject } from '../request/params.ts';
import { readVersionPurl } from '../request/purl.ts';
import { MAX_BATCH } from '../request/rules.ts';
import type { AskOptions, InsightsService } from '../service.ts';
import { createBatchWork } from './operation.ts';
import {
  findingsOperation,
  projectOperation,
  purlOperation,
  versionFields,
  versionOperation,
  withNameFallback,
} from './operations.ts';
import { inOrder } from './ordered.ts';

export type Batches = ReturnType<typeof createBatches>;

type Requests<Request> = Iterable<Request> | AsyncIterable<Request>;

/**
 * The batch operations of one service; each learns the service's page size once. `concurrency`: the number of concurrent requests, of all operations together.
 */
export function createBatches(service: InsightsService, concurrency = 25) {
  const limit = pLimit(concurrency);
  const versions = createBatchWork(versionOperation(service), limit);
  const projects = createBatchWork(projectOperation(service), limit);
  const findings = createBatchWork(findingsOperation(service), limit);
  const purls = createBatchWork(
    purlOperation(
      service,
      (text: string) => {
        const { name, purl } = readVersionPurl(text);
        service.allowed(name);
        return purl;
      },
      readVersionPurl,
    ),
    limit,
  );
  return {
    /**
     * Looks up any number of versions; yields one entry for each, in order. A request that breaks a rule or is refused by
     * the service yields an `error` and does not affect the others. Throws only when aborted.
     */
    versions: (keys: Requests<VersionKey>, { fields, signal }: AskOptions) =>
      inOrder(keys, MAX_BATCH, versions(fields), signal),
    /** The same for projects, by id. */
    projects: (ids: Requests<string>, { fields, signal }: AskOptions) =>
      inOrder(ids, MAX_BATCH, projects(fields), signal),
    /** The same for what the service says of packages and versions. */
    findings: (subjects: Requests<FindingsSubject>, { fields, signal }: AskOptions) =>
      inOrder(subjects, MAX_BATCH, findings(fields), signal),
    /** The same for purls with versions. A Go module with capitals is looked up by name when its purl is missing. */
    purls(texts: Requests<string>, { fields, signal }: AskOptions) {
      const work = withNameFallback(purls(fields), versions(versionFields(fields)), readVersionPurl);
      return inOrder(texts, MAX_BATCH, work, signal);
    },
  };
}
