import type { Command } from 'commander';
import { renderAdvisory } from '../../report/insights/advisory.ts';
import { renderContainerImages, renderPurl } from '../../report/insights/found.ts';
import { answer, type Console, type OperationOptions, operation } from './operation.ts';

/** GetAdvisory, PurlLookup and QueryContainerImages: one identifier in, one thing out. */
export function lookUpCommands(console: Console): readonly Command[] {
  return [
    operation('advisory', 'A security advisory of the OSV database.', 'GHSA-35jh-r3h4-6jhm')
      .argument('<id>', 'OSV identifier')
      .action((id: string, options: OperationOptions) =>
        answer(
          console,
          options,
          ({ operations, service }, signal) => operations.getAdvisory(service, id, { signal }),
          renderAdvisory,
        ),
      ),
    operation('purl', 'A package, or a version of it, by package URL.', 'pkg:npm/%40types/node@20.11.0')
      .argument('<purl>', 'without qualifiers and subpath')
      .action((purl: string, options: OperationOptions) =>
        answer(
          console,
          options,
          ({ operations, service }, signal) => operations.purlLookup(service, purl, { signal }),
          renderPurl,
        ),
      ),
    operation(
      'container-images',
      'Image repositories that hold exactly this chain of layers.',
      'sha256:<64 hex digits>',
    )
      .argument('<chain-id>', 'OCI chain identifier')
      .action((chainId: string, options: OperationOptions) =>
        answer(
          console,
          options,
          ({ operations, service }, signal) => operations.queryContainerImages(service, chainId, { signal }),
          renderContainerImages,
        ),
      ),
  ];
}
