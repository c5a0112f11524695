import Box from '@cloudscape-design/components/box';
import Spinner from '@cloudscape-design/components/spinner';
import { words } from '../words/words.ts';

/** Shown while the console is loaded. */
export const PageLoading = () => (
  <main>
    <Box textAlign="center" padding="xxl">
      <Spinner size="large" />
      <Box color="text-body-secondary">{words.loading.text}</Box>
    </Box>
  </main>
);
