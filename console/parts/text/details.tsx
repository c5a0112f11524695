import { Container, Header, KeyValuePairs } from '@cloudscape-design/components';
import type { ReactNode } from 'react';
import { Isolated } from './isolated.tsx';
import { shownValue } from './plain-text.tsx';

export type Detail = { readonly label: string; readonly value: ReactNode };

export type DetailListProps = { readonly details: readonly Detail[]; readonly columns?: number };

/** Minimum pixels of a column: most addresses and ids fit. A phone shows one column. */
const minColumnWidth = 180;

/** Facts about one thing, without a frame: for the split panel. A fact without a value shows a dash. */
export const DetailList = ({ details, columns = 3 }: DetailListProps) => (
  <KeyValuePairs columns={columns} minColumnWidth={minColumnWidth} items={details.map(({ label, value }) => ({ label, value: shownValue(value) }))} />
);

/** Facts about one thing as a part of a page. */
export const Details = ({ title, actions, ...list }: DetailListProps & { readonly title: string; readonly actions?: ReactNode }) => (
  <Container
    header={
      <Header variant="h2" actions={actions}>
        <Isolated>{title}</Isolated>
      </Header>
    }
  >
    <DetailList {...list} />
  </Container>
);
