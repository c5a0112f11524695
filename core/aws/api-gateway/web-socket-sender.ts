/**
 * Open WebSockets, reached from outside of their own calls. Adapter: `api-gateway-web-socket-sender.ts`; a fake is in
 * `test/fakes/`.
 */
export type WebSocketSender = {
  /**
   * Sends a text message. Sent means that it was taken for the client, not that the client has read it.
   * @param text at most 128 KB.
   * @returns 'gone' when the socket is closed, or was never open.
   * @throws Error when it is not known to have been sent: it may have been.
   */
  post(connectionId: string, text: string): Promise<'sent' | 'gone'>;
  /** Closes the socket; one that is closed already is fine. */
  close(connectionId: string): Promise<void>;
};
