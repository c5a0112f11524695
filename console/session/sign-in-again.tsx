import { Alert, Box, Button, LiveRegion, Modal, SpaceBetween } from '@cloudscape-design/components';
import { useQueryClient } from '@tanstack/react-query';
import { useState, useSyncExternalStore } from 'react';
import { words } from '../words/words.ts';
import { accessStore } from './access-store.ts';
import { useSession } from './session-gate.tsx';

/**
 * Asks the person to sign in again in another window, while the page and its forms remain. Failed reads are then
 * repeated. If another person signs in, the console starts anew for them.
 */
const Question = () => {
  const { session, person } = useSession();
  const [isUnfinished, setUnfinished] = useState(false);
  const queries = useQueryClient();
  const signIn = async (): Promise<void> => {
    setUnfinished(false);
    try {
      if (!(await session.signInAgain(() => setUnfinished(true)))) return;
      if ((await session.person())?.email !== person.email) window.location.reload();
      accessStore.set('granted');
      await queries.invalidateQueries();
    } catch {
      setUnfinished(true);
    }
  };
  const { title, text, action, unfinished, repeated, signOut } = words.signInAgain;
  return (
    <Modal
      visible
      header={title}
      closeAriaLabel={words.panel.close}
      onDismiss={() => accessStore.set('granted')}
      footer={
        <Box float="right">
          <SpaceBetween direction="horizontal" size="xs">
            <Button onClick={() => void session.end()}>{signOut}</Button>
            <Button variant="primary" onClick={() => void signIn()}>
              {action}
            </Button>
          </SpaceBetween>
        </Box>
      }
    >
      <SpaceBetween size="s">
        <Box>{text}</Box>
        <Box>{repeated}</Box>
        <LiveRegion assertive>
          {isUnfinished && (
            <Alert type="warning" header={unfinished.title}>
              {unfinished.text}
            </Alert>
          )}
        </LiveRegion>
      </SpaceBetween>
    </Modal>
  );
};

/** The question to sign in again, shown when the sign-in has ended. */
export const SignInAgain = () => useSyncExternalStore(accessStore.subscribe, accessStore.get) === 'signInRequired' && <Question />;
