import Container from '@cloudscape-design/components/container';
import Header from '@cloudscape-design/components/header';
import KeyValuePairs from '@cloudscape-design/components/key-value-pairs';
import type { ReactNode } from 'react';
import { shownValue } from './plain-text.tsx';

export type Detail = { readonly label: string; readonly value: ReactNode };

export type DetailListProps = { readonly details: readonly Detail[]; readonly columns?: number };

/** Pixels in which an address or an id mostly fits. A phone has one column of them. */
const minColumnWidth = 180;

/** Facts about one thing, without a frame of their own: for the split panel. A fact without a value shows a dash. */
export const DetailList = ({ details, columns = 3 }: DetailListProps) => (
  <KeyValuePairs columns={columns} minColumnWidth={minColumnWidth} items={details.map(({ label, value }) => ({ label, value: shownValue(value) }))} />
);

/** Facts about one thing as a part of a page. */
export const Details = ({ title, actions, ...list }: DetailListProps & { readonly title: string; readonly actions?: ReactNode }) => (
  <Container header={<Header variant="h2" actions={actions}><bdi>{title}</bdi></Header>}>
    <DetailList {...list} />
  </Container>
);
