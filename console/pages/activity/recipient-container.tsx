import { Container, Header, SpaceBetween } from '@cloudscape-design/components';
import type { ReactNode } from 'react';
import { findPath } from '../../parts/forms/message-search.tsx';
import { PageLink } from '../../parts/text/link.tsx';
import { StateExplanation, StateLabel } from '../../parts/text/values.tsx';
import type { StateKind } from '../../words/states.ts';

type RecipientContainerProps = { readonly address: string; readonly kind: StateKind; readonly state: string; readonly children: ReactNode };

/** A recipient of a message: the state, its meaning, the action to take, and details. */
export const RecipientContainer = ({ address, kind, state, children }: RecipientContainerProps) => (
  <Container
    header={
      <Header variant="h2" actions={<StateLabel kind={kind} state={state} />}>
        <PageLink to={findPath(address)}>{address}</PageLink>
      </Header>
    }
  >
    <SpaceBetween size="m">
      <StateExplanation kind={kind} state={state} />
      {children}
    </SpaceBetween>
  </Container>
);
