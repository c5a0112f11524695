import Box from '@cloudscape-design/components/box';
import Spinner from '@cloudscape-design/components/spinner';
import { words } from '../words/words.ts';

/** Shown while a page or the whole console is loaded. */
export const PageLoading = () => (
  <Box textAlign="center" padding="xxl">
    <Spinner size="large" />
    <Box color="text-body-secondary">{words.loading.text}</Box>
  </Box>
);
