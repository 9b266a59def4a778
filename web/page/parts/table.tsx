import type { ComponentChildren } from 'preact';
import { Nothing, Shown } from './notice.tsx';
import type { LongList } from './use-list.ts';

/** A column of a table. */
export interface Column {
  readonly name: string;
  readonly isNumber?: boolean;
  /** The order that its heading chooses, and what that is as long as it is not reversed. */
  readonly order?: readonly [name: string, direction: 'ascending' | 'descending'];
}

interface TableProps {
  /** For screen readers. */
  readonly label: string;
  readonly columns: readonly (string | Column)[];
  readonly children: ComponentChildren;
}

/** A table whose rows become cards in narrow windows: each cell names its column (`data-label`). */
export function Table({ label, columns, children }: TableProps) {
  return (
    <table class="cards" aria-label={label}>
      <thead>
        <tr>
          {columns.map((column) => {
            const { name, isNumber = false } = typeof column === 'string' ? { name: column } : column;
            return (
              <th key={name} scope="col" class={isNumber ? 'number' : ''}>
                {name}
              </th>
            );
          })}
        </tr>
      </thead>
      <tbody>{children}</tbody>
    </table>
  );
}

interface ListTableProps<Item> extends Omit<TableProps, 'children'> {
  readonly list: LongList<Item>;
  readonly nothing: string;
  readonly row: (item: Item) => ComponentChildren;
}

/** A table of a list that grows on request. */
export function ListTable<Item>({ list, nothing, row, ...table }: ListTableProps<Item>) {
  return (
    <Shown loaded={list}>
      {({ items }) =>
        items.length === 0 ? (
          <Nothing>{nothing}</Nothing>
        ) : (
          <>
            <Table {...table}>{items.map(row)}</Table>
            {list.more === undefined ? null : (
              <button type="button" class="more" onClick={list.more}>
                Show more
              </button>
            )}
          </>
        )
      }
    </Shown>
  );
}
