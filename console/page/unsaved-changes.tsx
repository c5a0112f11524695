import { Box, Button, Modal, SpaceBetween } from '@cloudscape-design/components';
import { useEffect } from 'react';
import { useBlocker } from 'react-router';
import { words } from '../words/words.ts';
import { useFrame, type Leaving } from './page-frame.tsx';

/** While a form has unsaved changes, asks before leaving the page. */
export const useUnsavedChanges = (hasChanges: boolean): void => {
  const { setLeaving } = useFrame();
  const blocker = useBlocker(({ currentLocation, nextLocation }) => hasChanges && currentLocation.pathname !== nextLocation.pathname);
  useEffect(() => {
    if (blocker.state !== 'blocked') return undefined;
    setLeaving({ proceed: blocker.proceed, stay: blocker.reset });
    return () => setLeaving(undefined);
  }, [blocker, setLeaving]);
  useEffect(() => {
    if (!hasChanges) return undefined;
    const ask = (event: BeforeUnloadEvent): void => event.preventDefault();
    window.addEventListener('beforeunload', ask);
    return () => window.removeEventListener('beforeunload', ask);
  }, [hasChanges]);
};

/** Asks whether to leave a page with unsaved changes. */
export const LeaveQuestion = ({ proceed, stay }: Leaving) => (
  <Modal
    visible
    header={words.unsaved.title}
    closeAriaLabel={words.panel.close}
    onDismiss={stay}
    footer={
      <Box float="right">
        <SpaceBetween direction="horizontal" size="xs">
          <Button variant="link" onClick={stay}>
            {words.unsaved.stay}
          </Button>
          <Button variant="primary" onClick={proceed}>
            {words.unsaved.leave}
          </Button>
        </SpaceBetween>
      </Box>
    }
  >
    {words.unsaved.text}
  </Modal>
);
